import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { nothing, textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_streaming_elicitation",
  description: "Reports progress, then asks the person at the client.",
  input: nothing,
  output: textOutput,
  effects: { client: ["elicit"] },
  toModel: textBlock,
  async run(_, { client, progress }) {
    progress(1, 2, "About to ask");
    const { action } = await client.elicit({ message: "Go on?", schema: { type: "object", properties: { ok: { type: "boolean" } } } });
    return { text: `The person chose ${action}.` };
  },
});
