import { defineTool } from "@toolwright/engine";
import { nothing, png, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_image_content",
  description: "Returns one image block.",
  input: nothing,
  output: textOutput,
  toModel: () => [{ type: "image", data: png, mimeType: "image/png" }],
  run: () => ({ text: "one red pixel" }),
});
