import { spawn } from "node:child_process";
import { withDescriptors } from "./inherited-descriptors.ts";

export interface ProgramOutput {
  readonly stdout: string;
  readonly stderr: string;
}

const mostOutputBytes = 4 * 1024 * 1024;

/** Runs a program of the system's to its end, from an empty environment. Rejects with what it said when it fails or takes too long. */
export function runProgram(
  [program, ...words]: readonly [string, ...string[]],
  { env = {}, limitMs }: { readonly env?: Readonly<Record<string, string>>; readonly limitMs: number },
): Promise<ProgramOutput> {
  return new Promise((resolve, reject) => {
    const child = withDescriptors(["ignore", "pipe", "pipe"], (stdio) =>
      spawn(program, words, { cwd: "/", env, stdio, timeout: limitMs, killSignal: "SIGKILL" }),
    );
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        if (said[name].length < mostOutputBytes) said[name] += text;
      });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve(said);
      else reject(new Error(said.stderr.trim() || `${program} ended with ${code ?? signal}.`));
    });
  });
}
