import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { nothing, textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_input_required_result_list_roots",
  description: "Asks for the roots of the client.",
  input: nothing,
  output: textOutput,
  effects: { client: ["roots"] },
  toModel: textBlock,
  async run(_, { client }) {
    const roots = await client.roots({ key: "client_roots" });
    return { text: roots.map(({ uri }) => uri).join("\n") };
  },
});
