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

/** A tool with 500 fields, and one whose fields lie 12 levels deep. */
export const wideTool = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
const fields = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [\`field_\${at}\`, z.string().optional()]));
export default defineTool({
  name: "wide",
  description: "Takes 500 fields. For tests of forms.",
  input: z.object(fields),
  output: z.object({ received: z.string() }),
  run: (input) => ({ received: JSON.stringify(input) }),
});
`;
export const deepTool = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
let level = z.object({ text: z.string().optional() });
for (let depth = 12; depth > 1; depth--) level = z.object({ text: z.string().optional(), inner: level.optional() });
export default defineTool({
  name: "deep",
  description: "Takes objects in objects. For tests of forms.",
  input: level,
  output: z.object({ received: z.string() }),
  run: (input) => ({ received: JSON.stringify(input) }),
});
`;

/** A tool that writes as many megabytes as it is asked for, while it runs and as its answer. */
export const floodTool = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
const megabyte = ("0123456789".repeat(9) + "\\n").repeat(11_523);
export default defineTool({
  name: "flood",
  description: "Writes a lot. For tests of results.",
  input: z.object({ megabytes: z.int() }),
  output: z.object({ text: z.string() }),
  async run({ megabytes }, { output }) {
    for (let at = 0; at < megabytes; at++) {
      output.append(megabyte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { text: megabyte.repeat(megabytes) };
  },
});
`;
