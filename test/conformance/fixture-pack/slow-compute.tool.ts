import { setTimeout as pause } from "node:timers/promises";
import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "slow_compute",
  description: "Takes as long as it is told to.",
  input: z.object({ seconds: z.number(), label: z.string().nullish() }),
  output: textOutput,
  toModel: textBlock,
  async run({ seconds, label }, { signal }) {
    await pause(seconds * 1000, undefined, { signal });
    return { text: `Computed ${label ?? "it"} in ${seconds} s.` };
  },
});
