import type { AnyTool } from "@toolwright/engine";
import agentRun from "./agent-run.ts";

/** The tools with which agents are run. */
export const agentTools: readonly AnyTool[] = [agentRun];
