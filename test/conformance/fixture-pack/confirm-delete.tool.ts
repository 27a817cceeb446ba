import { setTimeout as pause } from "node:timers/promises";
import type {} from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { asking } from "./questions.ts";
import { textBlock, textOutput } from "./samples.ts";

export default defineTool({
  name: "confirm_delete",
  description: "Looks for the file for a second, and asks before it deletes nothing.",
  input: z.object({ filename: z.string() }),
  output: textOutput,
  effects: { client: ["elicit"] },
  toModel: textBlock,
  async run({ filename }, { client, signal }) {
    await pause(1000, undefined, { signal });
    const { content } = await client.elicit(asking("confirm", `Delete ${filename}?`, { confirm: { type: "boolean" } }));
    return { text: content.confirm === true ? `Deleted ${filename}.` : `Kept ${filename}.` };
  },
});
