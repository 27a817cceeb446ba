import type { AnyTool } from "@toolwright/engine";
import agentRun from "./agent-run.ts";
import delegate from "./delegate.ts";
import skillRead from "./skill-read.ts";
import taskSpawn from "./task-spawn.ts";
import taskStatus from "./task-status.ts";

/** The tools with which agents are run, and those that only agents have. */
export const agentTools: readonly AnyTool[] = [agentRun, delegate, skillRead, taskSpawn, taskStatus];
