import { spawn } from "node:child_process";
import { once } from "node:events";

export interface Ran {
  readonly out: string;
  /** What it wrote to stdout and stderr, in order. */
  readonly all: string;
}

export interface Place {
  readonly cwd: string;
  /** Stands in for the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Throws an error that holds all output when the command ends with anything but 0. */
export async function runCommand(command: string, args: readonly string[], place: Place): Promise<Ran> {
  const { code, ...ran } = await tryCommand(command, args, place);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${ran.all}`);
  return ran;
}

export async function tryCommand(command: string, args: readonly string[], place: Place): Promise<Ran & { readonly code: number | null }> {
  const child = spawn(command, args, { ...place, stdio: ["ignore", "pipe", "pipe"] });
  const parts = { out: "", all: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    parts.out += chunk;
    parts.all += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    parts.all += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { ...parts, code };
}
