import { defineTool } from "@toolwright/engine";
import { says } from "./samples.ts";

export default defineTool({
  name: "test_simple_text",
  description: "Returns one text block.",
  ...says("This is a simple text response for testing."),
});
