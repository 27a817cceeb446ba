import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { nothing, textBlock, textOutput } from "./samples.ts";

const titled = (noun: string) =>
  ["First", "Second", "Third"].map((word, index) => ({ const: `value${index + 1}`, title: `${word} ${noun}` }));
const plain = ["option1", "option2", "option3"];

export default defineTool({
  name: "test_elicitation_sep1330_enums",
  description: "Asks with every form of choice.",
  input: nothing,
  output: textOutput,
  effects: { client: ["elicit"] },
  toModel: textBlock,
  async run(_, { client }) {
    const { action, content } = await client.elicit({
      message: "Please choose",
      schema: {
        type: "object",
        properties: {
          untitledSingle: { type: "string", description: "Select one option", enum: plain },
          titledSingle: { type: "string", description: "Select one option with titles", oneOf: titled("Option") },
          legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
          untitledMulti: { type: "array", description: "Select several", items: { type: "string", enum: plain } },
          titledMulti: { type: "array", description: "Select several with titles", items: { anyOf: titled("Choice") } },
        },
      },
    });
    return { text: `Elicitation completed: action=${action}, content=${JSON.stringify(content)}` };
  },
});
