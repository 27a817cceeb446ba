import { defineTool } from "@toolwright/engine";
import { nothing, textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_logging_tool",
  description: "Logs one message.",
  input: nothing,
  output: textOutput,
  toModel: textBlock,
  run(_, { log }) {
    log("info", "One message.");
    return { text: "Logged." };
  },
});
