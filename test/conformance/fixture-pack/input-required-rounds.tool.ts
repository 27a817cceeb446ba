import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { stepOne, stepTwo } from "./questions.ts";
import { nothing, textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_input_required_result_multi_round",
  description: "Asks two things, one after the other.",
  input: nothing,
  output: textOutput,
  effects: { client: ["elicit"] },
  toModel: textBlock,
  async run(_, { client }) {
    const { content: first } = await client.elicit(stepOne);
    const { content: second } = await client.elicit(stepTwo);
    return { text: `${first.name} likes ${second.color}.` };
  },
});
