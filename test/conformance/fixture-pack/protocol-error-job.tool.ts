import { setTimeout as pause } from "node:timers/promises";
import { defineTool, ToolwrightError } from "@toolwright/engine";
import { nothing, textOutput } from "./samples.ts";

export default defineTool({
  name: "protocol_error_job",
  description: "Meets a defect of the server after a second.",
  input: nothing,
  output: textOutput,
  async run(_, { signal }) {
    await pause(1000, undefined, { signal });
    throw new ToolwrightError("internal", "The job met a defect.");
  },
});
