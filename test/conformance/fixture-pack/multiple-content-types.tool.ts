import { defineTool } from "@toolwright/engine";
import { nothing, png, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_multiple_content_types",
  description: "Returns a text, an image and a resource.",
  input: nothing,
  output: textOutput,
  toModel: ({ text }) => [
    { type: "text", text },
    { type: "image", data: png, mimeType: "image/png" },
    {
      type: "resource",
      resource: { uri: "test://mixed-content-resource", mimeType: "application/json", text: JSON.stringify({ test: "data", value: 123 }) },
    },
  ],
  run: () => ({ text: "Multiple content types test:" }),
});
