import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import "../capability.ts";
import { runToEnd } from "./run-to-end.ts";
import { startsSubAgents } from "./turn-output.ts";

/** Gives a piece of work to another agent, which has no more than both may. */
export default defineTool({
  ...startsSubAgents,
  name: "delegate",
  title: "Delegate to an agent",
  description:
    "Give a piece of work to another agent that accepts it, and get its answer. It works by its own instructions, with the tools that both of you have, and sees none of your messages: say all that it needs. For work of your own kind use task_spawn.",
  input: z.object({
    agent: z.string().describe("Name of the agent, such as reviewer"),
    task: z.string().min(1).max(100_000).describe("The work, with all that is needed to do it and what the answer is to hold"),
  }),
  examples: [
    { label: "A review", input: { agent: "reviewer", task: "Read docs/guide.md and list sentences that are hard to understand." } },
  ],
  toModel: ({ text, state }) => [{ type: "text", text: state === "cancelled" ? `The agent was stopped. ${text}` : text }],
  run: (input, { agents, tools, usage, output }) =>
    runToEnd(() => agents.spawn(input, { spend: (spent) => usage.add(spent), say: (text) => output.append(text) }), tools),
});
