import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { sampling, userName } from "./questions.ts";
import { nothing, textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_input_required_result_multiple_inputs",
  description: "Asks three things at once.",
  input: nothing,
  output: textOutput,
  effects: { client: ["elicit", "sample", "roots"] },
  toModel: textBlock,
  async run(_, { client }) {
    const [name, greeting, roots] = await Promise.all([
      client.elicit(userName),
      client.sample(sampling("greeting", "Generate a greeting", 50)),
      client.roots({ key: "client_roots" }),
    ]);
    return { text: JSON.stringify([name.content, greeting.content, roots]) };
  },
});
