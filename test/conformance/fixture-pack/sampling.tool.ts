import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_sampling",
  description: "Asks the client's model.",
  input: z.object({ prompt: z.string() }),
  output: textOutput,
  effects: { client: ["sample"] },
  toModel: textBlock,
  async run({ prompt }, { client }) {
    const { content } = await client.sample({ messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 });
    return { text: `LLM response: ${(content as { text?: string }).text}` };
  },
});
