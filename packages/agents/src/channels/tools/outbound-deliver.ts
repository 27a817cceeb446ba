import { defineTool, fail } from "@toolwright/engine";
import { z } from "zod";
import { deliveryHarness } from "../outbound-capability.ts";

const words = () => z.string().meta({ sensitive: true });
const template = z.object({ name: z.string(), language: z.string(), parameters: z.array(words()) });

/** Sends one message on the channel of a hook: what its jobs call. */
export default defineTool({
  name: "outbound_deliver",
  title: "Deliver a message",
  group: "outbound",
  icon: "mail-check",
  description: "Deliver a message on the channel of a hook. Only the jobs of hooks call it.",
  input: z.object({
    message: z.string().describe("Id of the message"),
    at: z.int().describe("When it was written, in milliseconds since the epoch"),
    to: z.string().nullish().describe("To whom, where the channel reaches several people"),
    content: z
      .object({ text: words().nullish().describe("Words"), template: template.nullish().describe("Or a template") })
      .describe("What is sent"),
  }),
  output: z.object({ status: z.int().nullish().describe("HTTP status of the answer; absent where the channel sends nothing") }),
  visibility: { harness: deliveryHarness },
  // Whether a delivery is tried again is up to `mayRepeat` of its channel.
  effects: { outbound: "deliver", idempotent: true },
  limits: { timeoutMs: 60_000 },
  examples: [{ label: "Words", input: { message: "msg_1", at: 0, content: { text: "Hello" } } }],
  async run({ message, at, to, content: { text, template: written } }, { outbound }) {
    const content = written == null ? { text: text ?? "" } : { template: written };
    const status = await outbound.deliver({ id: message, at, to: to ?? undefined, content });
    if (status === undefined) return {};
    if (status >= 300) return fail("refused", `The channel answered ${status}: it does not take this message.`);
    return { status };
  },
});
