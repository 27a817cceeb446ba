import { randomUUID } from "node:crypto";
import { defineTool } from "@toolwright/engine";
import { z } from "zod";

/** Leaves one file a run, so that runs can be counted. */
export default defineTool({
  name: "pay",
  description: "Pays somebody. A person is asked first.",
  input: z.object({ to: z.string().describe("Who is paid.") }),
  output: z.object({ text: z.string() }),
  effects: { files: "write" },
  approval: "always_ask",
  async run({ to }, { files }) {
    await files.write(`paid/${randomUUID()}.txt`, `${to}\n`);
    return { text: `Paid ${to}.` };
  },
});
