import { parseArgs } from "node:util";
import { GrowthDriver, type GrowthRow } from "./driver.ts";
import { mostMs } from "./judge-growth.ts";
import { sizes } from "./shapes.ts";

const help = `Usage: npm run growth -- [options] [WORD ...]

Drives every operation, tool, MCP method and route of a server with inputs of 1, 2, 4 and 8 parts of eight, and reports where the processor time of
the serving thread grows faster than the input and passes ${mostMs} ms. Ends with 1 when there is such a row.

  WORD       only cases whose target or shape contains it
  --json     one JSON object a row
  --list     names the cases, and drives none
  --all      prints each case that passes ${mostMs} ms, also where the time grows as the input does
  --help     print this text`;

const flag = { type: "boolean" } as const;
const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: flag, list: flag, all: flag, help: flag } });

if (values.help) process.stdout.write(`${help}\n`);
else process.exitCode = await driveAll();

/** Exit code: 1 when the time of an input grows too fast. */
async function driveAll(): Promise<number> {
  const driver = await GrowthDriver.start();
  try {
    const isWanted = (words: string) => positionals.length === 0 || positionals.some((word) => words.includes(word));
    const wanted = driver.cases.flatMap(({ target, shape }, index) => (isWanted(`${target} ${shape}`) ? [index] : []));
    if (values.list) {
      for (const index of wanted) process.stdout.write(`${driver.cases[index]?.target}  ${driver.cases[index]?.shape}\n`);
      return 0;
    }
    let grown = 0;
    for (const [done, index] of wanted.entries()) {
      const row = await driver.drive(index);
      if (row?.grows) grown += 1;
      if (row?.grows || (row && values.all)) print(row);
      if (done % 100 === 99) process.stderr.write(`${done + 1} of ${wanted.length} cases\n`);
    }
    process.stderr.write(`${wanted.length} cases; the time of ${grown} grows faster than the input and passes ${mostMs} ms.\n`);
    return grown === 0 ? 0 : 1;
  } finally {
    await driver.stop();
  }
}

function print({ target, shape, times, grows, status }: GrowthRow): void {
  const list = sizes
    .map((size) =>
      String(Math.round(times[size] ?? Number.NaN))
        .replace("NaN", "-")
        .padStart(7),
    )
    .join("");
  const words = `${grows ? "GROWS " : "linear"}${list} ms  ${status ?? "no answer"}  ${target}  ${shape}`;
  process.stdout.write(`${values.json ? JSON.stringify({ target, shape, times, grows, status }) : words}\n`);
}
