// What `npm test` runs short, at length: `npm run fuzz -- [--commands N] [--mutants N] [--swaps N] [--seed S]`.
// The commands are read by the analysis and by bash; the mutants that the default policy allows are run in a sandbox; the swaps put links
// to outside in the place of files while these are read and written.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const usage = "Usage: npm run fuzz -- [--commands 20000] [--mutants 50000] [--swaps 100000] [--seed NUMBER]";
const options = {
  commands: { type: "string", default: "20000" },
  mutants: { type: "string", default: "50000" },
  swaps: { type: "string", default: "100000" },
  seed: { type: "string" },
} as const;

process.exitCode = main();

function main(): number {
  const counts = readCounts();
  if (!counts) {
    console.error(usage);
    return 2;
  }
  const { commands, mutants, swaps, seed } = counts;
  console.log(
    `${commands} commands, ${mutants} mutants and ${swaps} swaps, seed ${seed}. About 200 commands, 100 mutants and 300 swaps a second.`,
  );
  const files = ["test/integration/fuzz", "packages/engine/src/policy/mutants", "packages/sandbox/src/files/file-races"];
  const counted = { TOOLWRIGHT_FUZZ_COMMANDS: commands, TOOLWRIGHT_FUZZ_MUTANTS: mutants, TOOLWRIGHT_FUZZ_SWAPS: swaps };
  const env = { ...process.env, ...counted, TOOLWRIGHT_FUZZ_SEED: seed };
  const root = fileURLToPath(new URL("..", import.meta.url));
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "integration", "--reporter=verbose", ...files];
  return spawnSync(process.execPath, vitest, { cwd: root, env, stdio: "inherit" }).status ?? 1;
}

function readCounts(): Record<keyof typeof options, string> | undefined {
  try {
    const { values } = parseArgs({ options });
    const { commands, mutants, swaps } = values;
    const counts = { commands, mutants, swaps, seed: values.seed ?? String(Date.now() % 2 ** 31) };
    return Object.values(counts).every((count) => /^\d{1,10}$/.test(count)) ? counts : undefined;
  } catch {
    return undefined;
  }
}
