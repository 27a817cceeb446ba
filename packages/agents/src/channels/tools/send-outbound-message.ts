import { defineTool } from "@toolwright/engine";
import { outboundHarness } from "@toolwright/engine/ports";
import { z } from "zod";
import type {} from "../outbound-capability.ts";
import { sentOutput } from "./sent-output.ts";

/** Answers on the channel of the hook that began the run. */
export default defineTool({
  name: "send_outbound_message",
  title: "Send a message",
  group: "outbound",
  icon: "send",
  description:
    "Send a message to where the webhook that you answer came from. Your answer itself is seen by nobody outside: what they are to read goes through this tool. Send each message once.",
  input: z.object({
    text: z.string().min(1).max(4096).meta({ sensitive: true }).describe("What they are to read"),
    to: z
      .string()
      .max(200)
      .nullish()
      .describe("To whom, where the channel reaches several people: the phone number, user id or group as the webhook has it"),
  }),
  output: sentOutput,
  visibility: { harness: outboundHarness },
  effects: { outbound: "send" },
  examples: [{ label: "An answer", input: { text: "Your order is on its way." } }],
  run: ({ text, to }, { outbound }) => outbound.send({ content: { text }, to: to ?? undefined }),
});
