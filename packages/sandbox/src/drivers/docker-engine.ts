import { createHash } from "node:crypto";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { type ProgramOutput, runProgram } from "../process/run-program.ts";
import { programPath } from "./prepare-spec.ts";

const limitMs = 60_000;

/** A container engine's client: Docker's, or one that takes the same arguments. */
export interface ContainerEngine {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** The client's environment, from nothing. */
export function engineEnvironment(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const runtimeFolder = `/run/user/${process.getuid?.() ?? 0}`;
  return {
    PATH: programPath.join(":"),
    HOME: homedir(),
    ...(existsSync(runtimeFolder) && { XDG_RUNTIME_DIR: runtimeFolder }),
    ...given,
  };
}

/** Resolves with what the client printed on both streams; rejects with its words. */
export function askEngine({ argv, env }: ContainerEngine, words: readonly string[]): Promise<ProgramOutput> {
  return runProgram([...argv, ...words], { env, limitMs });
}

/** The containers of this machine carry this label: two machines may share one engine. */
export function machineLabel(): string {
  const namespace = existsSync("/proc/self/ns/pid") ? readlinkSync("/proc/self/ns/pid") : "";
  return `toolwright=${createHash("sha256").update(`${hostname()} ${namespace}`).digest("hex").slice(0, 16)}`;
}

/** When a process started, in the kernel's count; a number is soon given to another process. "0" where there is no /proc. */
function startOf(pid: number): string | undefined {
  try {
    if (!existsSync("/proc/self/stat")) return process.kill(pid, 0) ? "0" : undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // proc_pid_stat(5): the name in parentheses may hold anything; starttime is the twentieth field after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** A name that says which process owns the container. */
export function containerName(runId: string): string {
  return `toolwright-${process.pid}-${startOf(process.pid)}-${runId}`;
}

function isAbandoned(name: string): boolean {
  const [, pid, start] = /^toolwright-(\d+)-(\d+)-/.exec(name) ?? [];
  return pid !== undefined && startOf(Number(pid)) !== start;
}

/** Removes the containers of servers of this machine that are no more. Returns how many. */
export async function removeAbandoned(engine: ContainerEngine): Promise<number> {
  const { stdout } = await askEngine(engine, ["ps", "--all", "--filter", `label=${machineLabel()}`, "--format", "{{.Names}}"]);
  const names = stdout.split("\n").filter(isAbandoned);
  if (names.length > 0) await askEngine(engine, ["rm", "--force", ...names]);
  return names.length;
}
