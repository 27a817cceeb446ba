import { type AnyTool, defineTool } from "@toolwright/engine";
import { agentToolOf } from "@toolwright/engine/ports";
import { z } from "zod";
import type {} from "../capability.ts";
import { runSubAgent } from "./run-to-end.ts";
import { startsSubAgents, taskInput } from "./turn-output.ts";

/** Gives a piece of work to the agent of this name, which has no more than both may. */
export function agentTool(agent: string): AnyTool {
  return defineTool({
    ...startsSubAgents,
    name: agentToolOf(agent),
    title: `Delegate to ${agent}`,
    description: `Give a piece of work to the agent ${agent}, and get its answer. It works by its own instructions, with the tools that both of you have, and sees none of your messages: say all that it needs. For work of your own kind use task_spawn.`,
    input: z.object(taskInput),
    visibility: { ...startsSubAgents.visibility, agentChannel: true },
    examples: [{ label: "A task", input: { task: "Read docs/guide.md and list sentences that are hard to understand." } }],
    run: (input, ctx) => runSubAgent({ ...input, agent }, ctx),
  });
}
