import { setTimeout } from "node:timers/promises";
import { defineTool } from "@toolwright/engine";
import { nothing, textBlock, textOutput } from "./samples.ts";

/** The suite wants about 50 ms between the messages. */
const pauseMs = 50;

export default defineTool({
  name: "test_tool_with_logging",
  description: "Logs three messages while it runs.",
  input: nothing,
  output: textOutput,
  toModel: textBlock,
  async run(_, { log, signal }) {
    log("info", "Tool execution started");
    await setTimeout(pauseMs, undefined, { signal });
    log("info", "Tool processing data");
    await setTimeout(pauseMs, undefined, { signal });
    log("info", "Tool execution completed");
    return { text: "Logged three messages." };
  },
});
