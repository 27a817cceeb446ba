import { appendFileSync } from "node:fs";
import { defineTool, fail } from "@toolwright/engine";
import { z } from "zod";

const input = z.object({ key: z.string().describe("What is written, once for each time that it runs") });
const output = z.object({ written: z.string() });

/** Tools whose effect can be counted afterwards: each run adds a line to a file. */
export function faultTools(effects: string) {
  const run = ({ key }: { key: string }) => {
    appendFileSync(effects, `${key}\n`);
    return { written: key };
  };
  return [
    defineTool({
      name: "mark",
      description: "Writes a line to a file, as work that must not be done twice.",
      input,
      output,
      effects: { destructive: true },
      run,
    }),
    defineTool({
      name: "pay",
      description: "Writes a line to a file when a person has said yes.",
      input,
      output,
      effects: { destructive: true },
      approval: "always_ask",
      run,
    }),
    defineTool({
      name: "stumble",
      description: "Writes a line to a file, and then fails.",
      input,
      output,
      effects: { destructive: true },
      run({ key }) {
        run({ key });
        return fail("stumbled", "The line is written, and this failed afterwards.");
      },
    }),
    defineTool({
      name: "keep",
      description: "Keeps an artifact, and changes nothing else.",
      input,
      output,
      async run({ key }, { artifacts }) {
        await artifacts.save({ name: "key.txt", mediaType: "text/plain", content: key });
        return { written: key };
      },
    }),
    defineTool({
      name: "five_steps",
      description: "Writes four lines, and one in the middle when a person has said yes.",
      input,
      output,
      effects: { tools: ["mark", "pay"] },
      async run({ key }, { tools }) {
        for (const [index, name] of ["mark", "mark", "pay", "mark", "mark"].entries())
          await tools.call(name, { key: `${key}/${index + 1}` });
        return { written: key };
      },
    }),
    defineTool({
      name: "two_at_once",
      description: "Writes one line, and beside it two when a person has said yes to each.",
      input,
      output,
      effects: { tools: ["mark", "pay"] },
      async run({ key }, { tools }) {
        await Promise.all(["pay", "mark", "pay"].map((name, index) => tools.call(name, { key: `${key}/${index + 1}` })));
        return { written: key };
      },
    }),
    defineTool({
      name: "stay",
      description: "Writes a line to a file, and does not end.",
      input,
      output,
      effects: { destructive: true },
      run(given) {
        run(given);
        return new Promise<never>(() => {});
      },
    }),
    defineTool({ name: "glance", description: "Changes nothing.", input, output, run: ({ key }) => ({ written: key }) }),
  ];
}
