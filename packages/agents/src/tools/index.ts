import type { AnyTool } from "@toolwright/engine";
import agentRun from "./agent-run.ts";
import delegate from "./delegate.ts";
import taskSpawn from "./task-spawn.ts";

/** The tools with which agents are run. */
export const agentTools: readonly AnyTool[] = [agentRun, delegate, taskSpawn];
