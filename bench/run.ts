import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { help, readArguments } from "./against/read-arguments.ts";
import { runAgainst } from "./against/run-against.ts";
import type { Benchmark, Row } from "./measure.ts";
import { Refusal } from "./refusal.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const notBenchmarks = new Set(["run.ts", "measure.ts", "refusal.ts"]);
const names = (await readdir(here)).filter((file) => file.endsWith(".ts") && !notBenchmarks.has(file)).map((file) => file.slice(0, -3));
const asked = readArguments(process.argv.slice(2), names);
if ("mistake" in asked) {
  console.error(asked.mistake);
  process.exit(2);
}
if (asked.help) {
  console.log(help);
  process.exit();
}
const { json } = asked;

function installPeers(): void {
  if (existsSync(`${here}node_modules/.package-lock.json`)) return;
  console.error("Installing the peers to measure against (once) ...");
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: here, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("The peers could not be installed; npm's message is above.");
}

function print(row: Row): void {
  if (json) {
    console.log(JSON.stringify(row));
    return;
  }
  const number = (value: number) => value.toPrecision(4).padStart(10);
  console.log(
    `${row.holds ? "holds " : "MISSED"}  ${row.name.padEnd(58)} ours ${number(row.ours)}  ${row.peerName.padEnd(14)} ${number(row.peer)}  ratio ${row.ratio.toFixed(3)}  ${row.unit}  (${row.target})`,
  );
}

installPeers();
const chosen = names.filter((candidate) => asked.names.length === 0 || asked.names.includes(candidate));
if (asked.against !== undefined) process.exitCode = runAgainst(asked.against, chosen, json);
else process.exitCode = chosen.length === 1 ? await runHere(chosen[0] as string) : runEachApart(chosen);

/** Exit code: 1 when a target was missed, 2 when nothing could be measured. */
async function runHere(name: string): Promise<number> {
  const benchmark = (await import(`./${name}.ts`)) as Benchmark;
  try {
    const rows = await benchmark.measure();
    for (const row of rows) print(row);
    return rows.every((row) => row.holds) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(`${name}: ${error.message}`);
    return 2;
  }
}

/** A process for each, so that what one leaves behind does not slow the next; ours and its peer are always measured in the same one. */
function runEachApart(chosen: readonly string[]): number {
  const codes = chosen.map((name) => {
    const again = [...process.execArgv, fileURLToPath(import.meta.url), name, ...(json ? ["--json"] : [])];
    return spawnSync(process.execPath, again, { stdio: "inherit" }).status ?? 1;
  });
  return Math.max(...codes);
}
