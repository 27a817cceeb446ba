import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import type {} from "../capability.ts";
import { runSubAgent } from "./run-to-end.ts";
import { startsSubAgents, taskInput } from "./turn-output.ts";

/** Gives a piece of work to another agent, which has no more than both may. */
export default defineTool({
  ...startsSubAgents,
  name: "delegate",
  title: "Delegate to an agent",
  description:
    "Give a piece of work to another agent that accepts it, and get its answer. It works by its own instructions, with the tools that both of you have, and sees none of your messages: say all that it needs. For work of your own kind use task_spawn.",
  input: z.object({
    agent: z.string().describe("Name of the agent, such as reviewer"),
    ...taskInput,
  }),
  examples: [
    { label: "A review", input: { agent: "reviewer", task: "Read docs/guide.md and list sentences that are hard to understand." } },
  ],
  run: runSubAgent,
});
