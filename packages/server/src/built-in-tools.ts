import { agentTools, agentTool as defineAgentTool, outboundTools, roomTools, scheduleTools } from "@toolwright/agents";
import { browserTools } from "@toolwright/browser/tools";
import type { AnyTool } from "@toolwright/engine";
import { checkedBefore } from "@toolwright/engine/catalogue";
import { productTools } from "@toolwright/tools";
import { toolCode } from "./tool-code.ts";

/** The tools that every server and every command has. */
export const builtInTools = checkedBefore(
  [...productTools, ...browserTools, ...agentTools, ...scheduleTools, ...outboundTools, ...roomTools],
  toolCode,
);

/** Makes the tool that delegates work to the agent with this name. The code of these tools is the same for every agent. */
export function agentTool(agent: string): AnyTool {
  const tool = defineAgentTool(agent);
  if (toolCode?.[anyAgent]) checkedBefore([tool], { [tool.name]: toolCode[anyAgent] });
  return tool;
}

/** Stands for the name of an agent. */
export const anyAgent = "*";
