import type { AnyTool } from "@toolwright/engine";
import agentRun from "./agent-run.ts";
import delegate from "./delegate.ts";
import skillRead from "./skill-read.ts";
import taskSpawn from "./task-spawn.ts";
import taskStatus from "./task-status.ts";
import usageStats from "./usage-stats.ts";

/** The tools with which agents are run, those that only agents have, and the one that sums up what they took. */
export const agentTools: readonly AnyTool[] = [agentRun, delegate, skillRead, taskSpawn, taskStatus, usageStats];
