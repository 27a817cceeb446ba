import { defineTool, fail } from "@toolwright/engine";
import { z } from "zod";

/** Counts the words of a text file in the workspace. */
export default defineTool({
  name: "sample",
  description: "Count the words of one text file in the workspace. To read the text itself use file_read.",
  input: z.object({
    path: z.string().describe("Path relative to the workspace"),
    longest: z.boolean().nullish().describe("Also name the longest word"),
  }),
  output: z.object({ words: z.int(), longest: z.string().nullable() }),
  // What it may reach. `ctx` has exactly these: change it to "write" and ctx.files can write.
  effects: { files: "read" },
  examples: [{ label: "One file", input: { path: "notes.txt" } }],
  async run({ path, longest }, { files }) {
    const { text } = await files.readLines(path);
    const words = text.split(/\s+/).filter(Boolean);
    if (words.length === 0) return fail("empty_file", `${path} holds no words. Choose another file.`);
    const byLength = words.toSorted((a, b) => b.length - a.length);
    return { words: words.length, longest: longest ? (byLength[0] ?? null) : null };
  },
});
