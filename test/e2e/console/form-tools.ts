/** A tool whose input has each kind of field, and whose output is what arrived. */
export const kindsTool = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
const leg = z.object({ to: z.string(), km: z.number().optional() });
export default defineTool({
  name: "kinds",
  description: "Answers with its input. For tests of forms.",
  input: z.object({
    line: z.string().max(40),
    lines: z.string().optional(),
    amount: z.number().optional(),
    count: z.int().min(0).max(9).optional(),
    agreed: z.boolean(),
    maybe: z.boolean().optional(),
    other: z.boolean().optional(),
    day: z.iso.date().optional(),
    moment: z.iso.datetime().optional(),
    color: z.enum(["red", "green", "blue"]).optional(),
    city: z.enum(["Aachen", "Berlin", "Cottbus", "Dresden", "Erfurt", "Freiburg", "Greifswald"]).optional(),
    days: z.array(z.enum(["mon", "tue", "wed"])).optional(),
    tags: z.array(z.string()).optional(),
    legs: z.array(leg).optional(),
    home: z.object({ street: z.string(), floor: z.int().optional() }).optional(),
    pay: z.union([
      z.object({ kind: z.literal("card"), digits: z.string() }),
      z.object({ kind: z.literal("cash"), change: z.boolean() }),
    ]),
    version: z.literal("v1"),
    note: z.string().nullable(),
    scan: z.string().meta({ contentEncoding: "base64" }).optional(),
    owner: z.string().meta({ "x-entity-type": "person" }).optional(),
    size: z.int().default(3),
    extra: z.record(z.string(), z.int()).optional(),
  }),
  output: z.object({ received: z.string() }),
  run: (input) => ({ received: JSON.stringify(input) }),
});
`;

/** A tool that takes its time in steps, and leaves a file for each time that it ran. */
export const slowTool = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "slow",
  description: "Works until it is let go. For tests of runs.",
  input: z.object({ name: z.string() }),
  output: z.object({ name: z.string() }),
  effects: { files: "write" },
  async run({ name }, { files, progress, output, signal }) {
    await files.write(\`runs/\${name}-\${crypto.randomUUID()}.txt\`, name);
    progress(1, 2, "half of it");
    output.append("working on " + name + "\\n");
    for (;;) {
      signal.throwIfAborted();
      if (await files.readLines("go.txt").then(() => true, () => false)) return { name };
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  },
});
`;
