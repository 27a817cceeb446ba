import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import "../capability.ts";
import { runToEnd } from "./run-to-end.ts";
import { startsSubAgents } from "./turn-output.ts";

/** Gives a piece of work to a sub-agent of the agent's own kind, with messages of its own. */
export default defineTool({
  ...startsSubAgents,
  name: "task_spawn",
  title: "Start a sub-agent",
  description:
    "Give a piece of work to a sub-agent and get its answer. It has your tools but none that start agents, the same workspace, and none of your messages: say all that it needs. Use it for work whose steps you need not see, several at once. Do a step or two yourself.",
  input: z.object({
    task: z.string().min(1).max(100_000).describe("The work, with all that is needed to do it and what the answer is to hold"),
    tools: z
      .array(z.string())
      .max(100)
      .nullish()
      .describe("Names of the only tools that it gets, or handles such as group:fs; default: yours"),
  }),
  examples: [{ label: "A search", input: { task: "List the files in src that export a class, one path a line.", tools: ["group:fs"] } }],
  toModel: ({ text, state }) => [{ type: "text", text: state === "cancelled" ? `The sub-agent was stopped. ${text}` : text }],
  run: (input, { agents, tools, usage, output }) =>
    runToEnd(() => agents.spawn(input, { spend: (spent) => usage.add(spent), say: (text) => output.append(text) }), tools),
});
