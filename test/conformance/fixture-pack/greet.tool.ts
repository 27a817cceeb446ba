import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "greet",
  description: "Greets at once.",
  input: z.object({ name: z.string() }),
  output: textOutput,
  toModel: textBlock,
  run: ({ name }) => ({ text: `Hello, ${name}!` }),
});
