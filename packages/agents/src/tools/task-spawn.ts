import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import type {} from "../capability.ts";
import { runSubAgent } from "./run-to-end.ts";
import { startsSubAgents, taskInput } from "./turn-output.ts";

/** Gives a piece of work to a sub-agent of the agent's own kind, with messages of its own. */
export default defineTool({
  ...startsSubAgents,
  name: "task_spawn",
  title: "Start a sub-agent",
  description:
    "Give a piece of work to a sub-agent and get its answer. It has your tools but none that start agents, the same workspace, and none of your messages: say all that it needs. Use it for work whose steps you need not see, several at once. Do a step or two yourself.",
  input: z.object({
    ...taskInput,
    tools: z
      .array(z.string())
      .max(100)
      .nullish()
      .describe("Names of the only tools that it gets, or handles such as group:fs; default: yours"),
  }),
  examples: [{ label: "A search", input: { task: "List the files in src that export a class, one path a line.", tools: ["group:fs"] } }],
  run: runSubAgent,
});
