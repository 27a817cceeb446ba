import { defineTool } from "@toolwright/engine";
import { z } from "zod";

export default defineTool({
  name: "pay",
  description: "Pays somebody. A person is asked first.",
  input: z.object({ to: z.string() }),
  output: z.object({ text: z.string() }),
  approval: "always_ask",
  run: ({ to }) => ({ text: `Paid ${to}.` }),
});
