import { defineTool, fail } from "@toolwright/engine";
import { nothing, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_error_handling",
  description: "Always fails.",
  input: nothing,
  output: textOutput,
  run: () => fail("on_purpose", "This tool intentionally returns an error for testing"),
});
