import { setTimeout as pause } from "node:timers/promises";
import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { userName } from "./questions.ts";
import { nothing, textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_tool_with_task",
  description: "Asks for a name at once, and takes a second afterwards.",
  input: nothing,
  output: textOutput,
  effects: { client: ["elicit", "tasks"] },
  toModel: textBlock,
  async run(_, { client, signal }) {
    const { content } = await client.elicit(userName);
    await pause(1000, undefined, { signal });
    return { text: `Hello, ${content.name}.` };
  },
});
