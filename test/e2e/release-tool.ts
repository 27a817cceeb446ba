/** A tool that asks, and leaves one file for each time that it ran. */
export const releaseTool = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "release",
  description: "Releases a version, which cannot be undone. For tests of approvals.",
  input: z.object({ version: z.string().describe("Version") }),
  output: z.object({ released: z.string() }),
  effects: { files: "write", destructive: true },
  async run({ version }, { files }) {
    await files.write(\`runs/\${crypto.randomUUID()}.txt\`, version);
    return { released: version };
  },
});
`;
