import { defineTool } from "@toolwright/engine";
import { RUN_AGENTS, turnStates } from "@toolwright/engine/ports";
import { z } from "zod";
import type {} from "../capability.ts";
import { turnHarness } from "../turn/turn-harness.ts";

const withinMs = 30_000;

/** Says how far a sub-agent in the background is. */
export default defineTool({
  name: "task_status",
  title: "Look at a sub-agent",
  group: "agents",
  icon: "bot",
  description:
    "See how far a sub-agent is that you did not wait for, and read its answer. It waits up to half a minute for the answer: do your own work first, and call it when nothing else is left.",
  input: z.object({ task: z.string().describe("The id that task_spawn or delegate gave") }),
  output: z.object({
    task: z.string(),
    state: z.enum(turnStates),
    steps: z.int().describe("Answers of its model so far"),
    seconds: z.int().describe("Since it began"),
    text: z.string().describe("The answer; empty until there is one"),
    limit: z.string().nullish().describe("The limit that ended it before it was done"),
    problem: z.string().nullish().describe("Why it failed"),
  }),
  permission: RUN_AGENTS,
  visibility: { harness: turnHarness },
  effects: { agents: "read" },
  examples: [{ label: "A sub-agent", input: { task: "trn_0d49907dd0e9066bb22746d3225dfbe6" } }],
  toModel: ({ state, steps, seconds, text, problem }) => [
    {
      type: "text",
      text: {
        running: `It runs for ${seconds} seconds: ${steps} answers of its model so far.`,
        waiting: "It waits for a person.",
        done: text,
        failed: `It failed: ${problem}`,
        cancelled: `It was stopped. ${text}`,
      }[state],
    },
  ],
  async run({ task }, { agents }) {
    const { turn, ageMs } = await agents.task(task, withinMs);
    const { state, steps, text, limit, error } = turn;
    const seconds = Math.round(ageMs / 1_000);
    return { task, state, steps, seconds, text, ...(limit !== undefined && { limit }), ...(error && { problem: error.message }) };
  },
});
