import { parseArgs } from "node:util";

/** What `npm run bench` is asked for. */
export interface BenchArguments {
  /** Empty: all. */
  readonly names: readonly string[];
  readonly json: boolean;
  readonly help: boolean;
  /** A commit whose build is measured in turns with today's. */
  readonly against: string | undefined;
}

export const help = `Usage: npm run bench -- [options] [NAME ...]

Runs benchmarks, beside peers. Ends with 1 when a target was missed.

  --against COMMIT   measures the sources of COMMIT in turns with those here, by the benchmarks of here, and ends with 1 where
                     those here are slower by more than a tenth and beyond the spread of the runs
  --json             one JSON object a row
  --help             print this text`;

/** Reads the command line, or says what is wrong with it. */
export function readArguments(args: readonly string[], known: readonly string[]): BenchArguments | { readonly mistake: string } {
  let parsed: { values: { against?: string; json?: boolean; help?: boolean }; positionals: string[] };
  try {
    const flag = { type: "boolean" } as const;
    parsed = parseArgs({ args: [...args], allowPositionals: true, options: { against: { type: "string" }, json: flag, help: flag } });
  } catch (error) {
    return { mistake: (error as Error).message };
  }
  const { values, positionals: names } = parsed;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) return { mistake: `There is no benchmark named ${unknown.join(", ")}. There are: ${known.join(", ")}.` };
  if (values.against?.startsWith("-") || values.against === "")
    return { mistake: "--against takes a commit. See npm run bench -- --help." };
  return { names, json: values.json ?? false, help: values.help ?? false, against: values.against };
}
