import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { complete } from "./model.ts";

export default defineTool({
  name: "summarize",
  description: "Sum up a text in one sentence. It asks a model, which costs money: read short texts yourself.",
  input: z.object({ text: z.string().describe("The text to sum up") }),
  output: z.object({ summary: z.string() }),
  effects: {},
  async run({ text }, { usage, signal }) {
    const { answer, inputTokens, outputTokens } = await complete(`Sum up in one sentence:\n${text}`, { signal });
    usage.add({ model: "small-1", inputTokens, outputTokens, cost: (inputTokens * 0.4 + outputTokens * 1.6) / 1_000_000 });
    return { summary: answer };
  },
});
