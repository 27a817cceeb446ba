import { agentTools, outboundTools, roomTools, scheduleTools } from "@toolwright/agents";
import { browserTools } from "@toolwright/browser/tools";
import { checkedBefore } from "@toolwright/engine/catalogue";
import { productTools } from "@toolwright/tools";

/** The tools that every server and every command has. */
export const builtInTools = checkedBefore([
  ...productTools,
  ...browserTools,
  ...agentTools,
  ...scheduleTools,
  ...outboundTools,
  ...roomTools,
]);
