import { defineTool, fail } from "@toolwright/engine";
import { RUN_AGENTS } from "@toolwright/engine/ports";
import { z } from "zod";
import "../capability.ts";
import type { RunOutcome } from "../agent-runs.ts";

const minute = 60_000;
const states = ["done", "queued", "cancelled"] as const;

/** Has an agent answer a message, with the tools that it may use. */
export default defineTool({
  name: "agent_run",
  title: "Run an agent",
  group: "agents",
  icon: "bot",
  description:
    "Send a message to an agent and get its answer. The agent works with its own tools, each call under the policy, and waits where a person has to decide. Pass the conversation of an earlier answer to go on with it. For one step that you know, call the tool itself.",
  input: z.object({
    agent: z.string().describe("Name of the agent, such as assistant"),
    message: z.string().max(1_000_000).describe("What it is to do or to answer"),
    conversation: z.string().nullish().describe("Conversation of an earlier answer; a new one where it is left out"),
    attachments: z
      .array(z.string())
      .nullish()
      .describe("Ids of artifacts that go with the message. Files that come with the call go with it, too"),
    interrupt: z
      .boolean()
      .nullish()
      .describe("True stops the turn that runs in the conversation before this one begins. Default: the message waits for the next step"),
    turn: z.string().nullish().describe("A turn that was interrupted, to go on with in place of a new message"),
  }),
  output: z.object({
    turn: z.string(),
    conversation: z.string(),
    state: z.enum(states),
    text: z.string().describe("The answer; empty where the message waits for a turn that runs"),
    limit: z.string().nullish().describe("The limit that ended the turn before the agent did"),
    usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), steps: z.int() }),
  }),
  permission: RUN_AGENTS,
  effects: { agents: "run", tools: ["*"], idempotent: true },
  limits: { timeoutMs: 60 * minute, idleMs: 5 * minute },
  examples: [{ label: "A question", input: { agent: "assistant", message: "Which files are in the workspace?" } }],
  toModel: ({ text, state }) => [
    { type: "text", text: state === "queued" ? "The message waits for the next step of the turn that runs." : text },
  ],
  async run(input, { agents, tools, usage, attachments: files }) {
    for (;;) {
      const outcome = await agents.run({ ...input, files }, (spent) => usage.add(spent));
      if (outcome.kind !== "waits") return describe(outcome);
      await tools.suspend(outcome.waitsFor.map((id) => ({ kind: "approval", id })));
    }
  },
});

function describe({ kind, turn }: Exclude<RunOutcome, { kind: "waits" }>) {
  const { id, conversation, state, text, limit, error, steps } = turn;
  if (error) return fail(error.code, error.message, { turn: id, conversation });
  const { inputTokens = 0, outputTokens = 0 } = turn.usage;
  return {
    ...{ turn: id, conversation, text: kind === "queued" ? "" : text },
    state: kind === "queued" ? ("queued" as const) : state === "cancelled" ? ("cancelled" as const) : ("done" as const),
    ...(limit !== undefined && { limit }),
    usage: { inputTokens, outputTokens, steps },
  };
}
