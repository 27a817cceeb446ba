import { defineTool } from "@toolwright/engine";
import { z } from "zod";

export default defineTool({
  name: "add",
  description: "Adds two whole numbers.",
  input: z.object({ a: z.int(), b: z.int() }),
  output: z.object({ sum: z.int() }),
  run: ({ a, b }) => ({ sum: a + b }),
});
