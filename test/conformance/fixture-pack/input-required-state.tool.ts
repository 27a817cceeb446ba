import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { confirmation } from "./questions.ts";
import { nothing, textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_input_required_result_request_state",
  description: "Asks for a confirmation.",
  input: nothing,
  output: textOutput,
  effects: { client: ["elicit"] },
  toModel: textBlock,
  async run(_, { client }) {
    const { content } = await client.elicit(confirmation);
    return { text: `state-ok, ok=${content.ok}` };
  },
});
