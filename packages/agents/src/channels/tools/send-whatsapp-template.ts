import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import type {} from "../outbound-capability.ts";
import { whatsapp } from "../whatsapp.ts";
import { sentOutput } from "./sent-output.ts";

/** Writes to somebody on WhatsApp with words that Meta has approved. */
export default defineTool({
  name: "send_whatsapp_template",
  title: "Send a WhatsApp template",
  group: "outbound",
  icon: "message-square",
  description:
    "Send an approved template on WhatsApp. Use it when the person last wrote more than 24 hours ago, when WhatsApp delivers nothing else; otherwise use send_outbound_message. Send each message once.",
  input: z.object({
    to: z.string().min(1).max(200).describe("Phone number or user id of the person, as the webhook has it"),
    template: z
      .string()
      .regex(/^[a-z0-9_]{1,512}$/)
      .describe("Name of the template"),
    language: z
      .string()
      .regex(/^[a-z]{2,3}(_[A-Z]{2})?$/)
      .describe("Language of the template, such as en_US"),
    parameters: z
      .array(z.string().max(1024).meta({ sensitive: true }))
      .max(20)
      .nullish()
      .describe("What the places of its text are filled with, in order"),
  }),
  output: sentOutput,
  visibility: { harness: whatsapp.name },
  effects: { outbound: "send" },
  examples: [{ label: "A reminder", input: { to: "4915112345678", template: "appointment", language: "en_US", parameters: ["Monday"] } }],
  run: ({ to, template, language, parameters }, { outbound }) =>
    outbound.send({ to, content: { template: { name: template, language, parameters: parameters ?? [] } } }),
});
