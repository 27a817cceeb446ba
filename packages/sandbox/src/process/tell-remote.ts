import { execFile } from "node:child_process";

const limitMs = 10_000;

/** Runs a command of a container engine; resolves with what it printed, or with nothing when it failed. */
export function tellRemote([program, ...words]: readonly [string, ...string[]], env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, words, { cwd: "/", env, timeout: limitMs, killSignal: "SIGKILL" }, (error, stdout) => resolve(error ? "" : stdout));
  });
}
