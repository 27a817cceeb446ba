import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { confirmation, sampling } from "./questions.ts";
import { nothing, textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_input_required_result_capabilities",
  description: "Asks whatever the client can answer.",
  input: nothing,
  output: textOutput,
  effects: { client: [] },
  toModel: textBlock,
  async run(_, { client }) {
    const answers = await Promise.all([
      client.can("elicit") ? client.elicit(confirmation) : undefined,
      client.can("sample") ? client.sample(sampling("capital_question", "What is the capital of France?")) : undefined,
    ]);
    return { text: JSON.stringify(answers) };
  },
});
