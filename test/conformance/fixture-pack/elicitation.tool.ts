import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_elicitation",
  description: "Asks the person at the client.",
  input: z.object({ message: z.string() }),
  output: textOutput,
  effects: { client: ["elicit"] },
  toModel: textBlock,
  async run({ message }, { client }) {
    const { action, content } = await client.elicit({
      message,
      schema: {
        type: "object",
        properties: {
          username: { type: "string", description: "User's response" },
          email: { type: "string", description: "User's email address" },
        },
        required: ["username", "email"],
      },
    });
    return { text: `User response: action=${action}, content=${JSON.stringify(content)}` };
  },
});
