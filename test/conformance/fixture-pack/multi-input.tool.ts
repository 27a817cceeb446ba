import { setTimeout as pause } from "node:timers/promises";
import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { asking } from "./questions.ts";
import { nothing, textBlock, textOutput } from "./samples.ts";

const text = { type: "string" } as const;

export default defineTool({
  name: "multi_input",
  description: "Asks two things at once, after a second.",
  input: nothing,
  output: textOutput,
  effects: { client: ["elicit"] },
  toModel: textBlock,
  async run(_, { client, signal }) {
    await pause(1000, undefined, { signal });
    const asked = ["first", "second"].map((key) => client.elicit(asking(key, `Who is ${key}?`, { name: text })));
    const answers = await Promise.all(asked);
    return { text: answers.map(({ content }) => content.name).join(" and ") };
  },
});
