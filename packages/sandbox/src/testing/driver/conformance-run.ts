import { readdirSync, readFileSync } from "node:fs";
import type { Anomaly } from "@toolwright/engine";
import type { ProcessExit, ProcessHandle, ProcessSpec, SandboxDriver } from "@toolwright/engine/ports";

/** One check; a framework's `test(name, run)` is all it needs. */
export interface ConformanceCase {
  readonly name: string;
  /** Why the adapter cannot pass it. */
  readonly skip?: string;
  run(): Promise<void>;
}

/** A driver, which other cases may have used, and an empty workspace, for one case. */
export interface DriverFixture {
  readonly driver: SandboxDriver;
  /** Real path of a folder that exists. */
  readonly workspace: string;
  /** Process id of what starts processes on behalf of the driver, where there is such a thing. */
  supervisor?(): number | undefined;
  /** Runs a shell line through such a driver in another process, which inherits these descriptors by number; resolves with its output. */
  elsewhere?(command: string, descriptors: Readonly<Record<number, number>>): Promise<string>;
  /** Called once after the case; removes the folder. */
  cleanup(): Promise<void>;
}

/** A check before it is bound to an adapter: cases of an `area` can be skipped with a reason. */
export interface DriverCheck {
  readonly name: string;
  readonly area: CheckArea;
  /** It closes its driver, so no other case may use the same. */
  readonly closesDriver?: true;
  run(fixture: DriverFixture): Promise<void>;
}
export type CheckArea = "run" | "end" | "network" | "files" | "kernel" | "limits";

export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: ProcessExit;
  readonly anomalies: readonly Anomaly[];
}

type SpecChanges = Partial<Omit<ProcessSpec, "program">>;

export function specFor(
  { driver, workspace }: Pick<DriverFixture, "driver" | "workspace">,
  program: string | readonly [string, ...string[]],
  changes: SpecChanges = {},
): ProcessSpec {
  return {
    program: typeof program === "string" ? { shell: program } : { argv: program },
    workspace,
    workdir: ".",
    writable: true,
    env: {},
    network: driver.traits.networks.includes("none") ? "none" : "host",
    limits: {},
    protectedPaths: [],
    stdin: "closed",
    timeoutMs: 20_000,
    ...changes,
  };
}

export async function collect(handle: ProcessHandle): Promise<Finished> {
  const chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  handle.onOutput((stream, chunk) => chunks[stream].push(Uint8Array.from(chunk)));
  const { exit, anomalies } = await handle.exited;
  return { stdout: Buffer.concat(chunks.stdout).toString(), stderr: Buffer.concat(chunks.stderr).toString(), exit, anomalies };
}

export async function runToEnd(
  fixture: DriverFixture,
  program: string | readonly [string, ...string[]],
  changes: SpecChanges = {},
): Promise<Finished> {
  return collect(await fixture.driver.start(specFor(fixture, program, changes)));
}

/** Resolves with all output so far once it holds the text. */
export function waitForOutput(handle: ProcessHandle, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = "";
    handle.onOutput((_stream, chunk) => {
      seen += Buffer.from(chunk).toString();
      if (seen.includes(text)) resolve(seen);
    });
    void handle.exited.then(() => reject(new Error(`It ended without "${text}": ${seen}`)));
  });
}

/** A number of seconds that no other process sleeps for, so that its sleepers can be counted. */
export function uniqueSleep(): string {
  return `9${Math.floor(Math.random() * 1e9)}`;
}

/** Processes of this machine whose command line holds the text as a word. */
export function countProcesses(word: string): number {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false;
    }
  }).length;
}

/** Polls until the condition holds; returns false when it does not within the time. */
export async function eventually(condition: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
