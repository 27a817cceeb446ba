import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { nothing, textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_elicitation_sep1034_defaults",
  description: "Asks with a default for every kind of field.",
  input: nothing,
  output: textOutput,
  effects: { client: ["elicit"] },
  toModel: textBlock,
  async run(_, { client }) {
    const { action, content } = await client.elicit({
      message: "Please review and update the form fields with defaults",
      schema: {
        type: "object",
        properties: {
          name: { type: "string", description: "User name", default: "John Doe" },
          age: { type: "integer", description: "User age", default: 30 },
          score: { type: "number", description: "User score", default: 95.5 },
          status: { type: "string", description: "User status", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", description: "Verification status", default: true },
        },
        required: [],
      },
    });
    return { text: `Elicitation completed: action=${action}, content=${JSON.stringify(content)}` };
  },
});
