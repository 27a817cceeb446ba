import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { sampling } from "./questions.ts";
import { nothing, textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_input_required_result_sampling",
  description: "Asks the client's model.",
  input: nothing,
  output: textOutput,
  effects: { client: ["sample"] },
  toModel: textBlock,
  async run(_, { client }) {
    const { content } = await client.sample(sampling("capital_question", "What is the capital of France?"));
    return { text: JSON.stringify(content) };
  },
});
