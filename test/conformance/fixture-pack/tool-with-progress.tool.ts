import { setTimeout } from "node:timers/promises";
import { defineTool } from "@toolwright/engine";
import { nothing, textBlock, textOutput } from "./samples.ts";

/** The suite wants about 50 ms between the steps. */
const pauseMs = 50;

export default defineTool({
  name: "test_tool_with_progress",
  description: "Reports progress three times while it runs.",
  input: nothing,
  output: textOutput,
  toModel: textBlock,
  async run(_, { progress, signal }) {
    for (const done of [0, 50, 100]) {
      progress(done, 100, `Completed step ${done} of 100`);
      if (done < 100) await setTimeout(pauseMs, undefined, { signal });
    }
    return { text: "Reported progress three times." };
  },
});
