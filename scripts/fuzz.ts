// Checks the analysis of commands against a real shell, longer than `npm test` does: `npm run fuzz -- [--commands N] [--mutants N] [--seed S]`.
// The commands are read by the analysis and by bash; the mutants that the default policy allows are run in a sandbox.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const usage = "Usage: npm run fuzz -- [--commands 20000] [--mutants 50000] [--seed NUMBER]";
const options = {
  commands: { type: "string", default: "20000" },
  mutants: { type: "string", default: "50000" },
  seed: { type: "string" },
} as const;

process.exitCode = main();

function main(): number {
  const counts = readCounts();
  if (!counts) {
    console.error(usage);
    return 2;
  }
  const { commands, mutants, seed } = counts;
  console.log(`${commands} commands and ${mutants} mutants, seed ${seed}. About 200 commands and 100 mutants a second.`);
  const files = ["test/integration/fuzz", "packages/engine/src/policy/mutants.integration.test.ts"];
  const env = { ...process.env, TOOLWRIGHT_FUZZ_COMMANDS: commands, TOOLWRIGHT_FUZZ_MUTANTS: mutants, TOOLWRIGHT_FUZZ_SEED: seed };
  const root = fileURLToPath(new URL("..", import.meta.url));
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "integration", "--reporter=verbose", ...files];
  return spawnSync(process.execPath, vitest, { cwd: root, env, stdio: "inherit" }).status ?? 1;
}

function readCounts(): Record<keyof typeof options, string> | undefined {
  try {
    const { values } = parseArgs({ options });
    const counts = { commands: values.commands, mutants: values.mutants, seed: values.seed ?? String(Date.now() % 2 ** 31) };
    return Object.values(counts).every((count) => /^\d{1,10}$/.test(count)) ? counts : undefined;
  } catch {
    return undefined;
  }
}
