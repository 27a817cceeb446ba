import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { textOutput } from "./samples.ts";

const address = z.object({ street: z.string().nullish(), city: z.string().nullish() }).meta({ id: "address" });

export default defineTool({
  name: "json_schema_2020_12_tool",
  description: "Tool with JSON Schema 2020-12 features",
  input: z.object({ name: z.string().nullish(), address: address.nullish() }),
  output: textOutput,
  run: ({ name }) => ({ text: `Hello, ${name ?? "you"}.` }),
});
