import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { userName } from "./questions.ts";
import { nothing, textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_input_required_result_elicitation",
  description: "Asks for a name.",
  input: nothing,
  output: textOutput,
  effects: { client: ["elicit"] },
  toModel: textBlock,
  async run(_, { client }) {
    const { content } = await client.elicit(userName);
    return { text: `Hello, ${content.name}!` };
  },
});
