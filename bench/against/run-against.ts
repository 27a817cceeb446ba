import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Row } from "../measure.ts";
import { type Compared, compareRuns } from "./compare-runs.ts";
import { openSide } from "./open-side.ts";

const here = fileURLToPath(new URL("../..", import.meta.url));
/** Runs of each side. They alternate, so that what else the machine does hits both. */
const rounds = 3;

/** Measures each benchmark here and at a commit, in turns. Exit code: 1 where the sources here are slower. */
export function runAgainst(commit: string, names: readonly string[], json: boolean): number {
  const side = openSide(commit, here);
  try {
    const compared = names.flatMap((name) => {
      const runs = { now: [] as Row[][], before: [] as Row[][] };
      for (let round = 0; round < rounds; round += 1) {
        runs.now.push(measureIn(here, name));
        runs.before.push(measureIn(side.root, name));
      }
      const rows = compareRuns(runs.now, runs.before);
      for (const row of rows) print(row, json);
      return rows;
    });
    return compared.some(({ isSlower }) => isSlower) ? 1 : 0;
  } finally {
    side.close();
  }
}

/** A process for each run. A target that it misses is no matter here. */
function measureIn(root: string, name: string): Row[] {
  const args = ["--conditions=@toolwright/source", "bench/run.ts", name, "--json"];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const rows = stdout.split("\n").filter((line) => line.startsWith("{"));
  if (rows.length === 0) throw new Error(`The benchmark ${name} gave no figure in ${root}; its words are above.`);
  return rows.map((line) => JSON.parse(line) as Row);
}

function print(row: Compared, json: boolean): void {
  if (json) {
    console.log(JSON.stringify(row));
    return;
  }
  const number = (value: number) => value.toPrecision(4).padStart(10);
  const [smallest, largest] = row.spread.map((each) => each.toFixed(2));
  console.log(
    `${row.isSlower ? "SLOWER" : "holds "}  ${row.name.padEnd(58)} now ${number(row.now)}  before ${number(row.before)}  ${row.unit}  ratio ${row.ratio.toFixed(3)} (${smallest} to ${largest})`,
  );
}
