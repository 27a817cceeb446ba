import { defineTool } from "@toolwright/engine";
import { z } from "zod";

export default defineTool({
  name: "word_count",
  description: "Count the words of a text file in the workspace. To read it use file_read.",
  input: z.object({ path: z.string().describe("Path relative to the workspace") }),
  output: z.object({ words: z.int() }),
  effects: { files: "read" },
  run: async ({ path }, { files }) => ({ words: (await files.readLines(path)).text.split(/\s+/).filter(Boolean).length }),
});
