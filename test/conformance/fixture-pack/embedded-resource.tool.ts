import { defineTool } from "@toolwright/engine";
import { nothing, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_embedded_resource",
  description: "Returns one embedded resource.",
  input: nothing,
  output: textOutput,
  toModel: ({ text }) => [{ type: "resource", resource: { uri: "test://embedded-resource", mimeType: "text/plain", text } }],
  run: () => ({ text: "This is an embedded resource content." }),
});
