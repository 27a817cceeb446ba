import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { textOutput } from "./samples.ts";

const address = z.object({ street: z.string().optional(), city: z.string().optional() }).meta({ id: "address", $anchor: "addressDef" });

export default defineTool({
  name: "json_schema_2020_12_tool",
  description: "Tool with JSON Schema 2020-12 features",
  input: z
    .object({
      name: z.string().optional(),
      address: address.optional(),
      contactMethod: z.enum(["phone", "email"]).optional(),
      phone: z.string().optional(),
      email: z.string().optional(),
    })
    .meta({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      // biome-ignore-start lint/suspicious/noThenProperty: a keyword of JSON Schema.
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      then: { required: ["phone"] },
      else: { required: ["email"] },
      // biome-ignore-end lint/suspicious/noThenProperty: a keyword of JSON Schema.
    }),
  schemaExceptions: ["no_intersection"],
  output: textOutput,
  run: ({ name }) => ({ text: `Hello, ${name ?? "you"}.` }),
});
