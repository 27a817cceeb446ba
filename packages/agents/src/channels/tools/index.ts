import type { AnyTool } from "@toolwright/engine";
import outboundDeliver from "./outbound-deliver.ts";
import sendOutboundMessage from "./send-outbound-message.ts";
import sendWhatsappTemplate from "./send-whatsapp-template.ts";

/** The tools with which messages go out on the channels of hooks. */
export const outboundTools: readonly AnyTool[] = [sendOutboundMessage, sendWhatsappTemplate, outboundDeliver];
