import { runProgram } from "./run-program.ts";

const limitMs = 10_000;

/** Runs a command of a container engine; resolves with what it printed, or with nothing when it failed. */
export async function tellRemote(argv: readonly [string, ...string[]], env: Readonly<Record<string, string>>): Promise<string> {
  try {
    return (await runProgram(argv, { env, limitMs })).stdout;
  } catch {
    return "";
  }
}
