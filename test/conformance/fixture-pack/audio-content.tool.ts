import { defineTool } from "@toolwright/engine";
import { nothing, textOutput, wav } from "./samples.ts";

export default defineTool({
  name: "test_audio_content",
  description: "Returns one audio block.",
  input: nothing,
  output: textOutput,
  toModel: () => [{ type: "audio", data: wav, mimeType: "audio/wav" }],
  run: () => ({ text: "silence" }),
});
