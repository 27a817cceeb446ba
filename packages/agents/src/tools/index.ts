import type { AnyTool } from "@toolwright/engine";
import agentRun from "./agent-run.ts";
import skillRead from "./skill-read.ts";

/** The tools with which agents are run, and those that only agents have. */
export const agentTools: readonly AnyTool[] = [agentRun, skillRead];
