import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { nothing, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_missing_capability",
  description: "Needs a client that samples.",
  input: nothing,
  output: textOutput,
  effects: { client: ["sample"] },
  run: () => ({ text: "The client samples." }),
});
