import { appendFileSync } from "node:fs";
import { defineTool } from "@toolwright/engine";
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
  ];
}
