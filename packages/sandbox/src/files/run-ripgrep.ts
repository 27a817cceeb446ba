import { type CallSite, ToolwrightError } from "@toolwright/engine";
import { FairPool, type ProcessHandle, processorPoolCapacity, type SandboxDriver, sharerOf, systemClock } from "@toolwright/engine/ports";
import type { GlobPattern } from "./glob-pattern.ts";

/** What runs ripgrep, or finds out what does. */
export type SearchDriver = SandboxDriver | (() => Promise<SandboxDriver | undefined>);

/** A place to run ripgrep in. */
export interface SearchSite {
  readonly driver: SearchDriver | undefined;
  readonly site: Pick<CallSite, "principal" | "signal" | "alive" | "reportPosture" | "reportReached" | "reportAnomaly">;
  /** Absolute host path of the workspace. */
  readonly workspace: string;
}

interface SearchEnd {
  /** False when something could not be searched: a folder without permission, the time limit. */
  readonly complete: boolean;
}

/** Searches of this process that run at once: each keeps a processor busy. */
const places = new FairPool({
  things: "searches of files",
  capacity: processorPoolCapacity,
  mostWaiting: 32,
  clock: systemClock,
});
const timeoutMs = 30_000;
/** A record longer than this (a file that is one line) is skipped. */
const mostRecordBytes = 4 * 1024 * 1024;
const mostErrorBytes = 4096;
const install = "Searching needs ripgrep (the program `rg`), which cannot be run; install the package `ripgrep`.";

/** Options that every search has. Ignore files count everywhere in the workspace, and none above it; `.git` is not searched. */
export const commonOptions = [
  ["--no-config", "--hidden", "--no-require-git", "--no-ignore-parent", "--no-ignore-global", "--sort=path", "--color=never"],
  ["--glob=!.git", "--glob=!.toolwright"],
].flat();

/** Narrows a search to names that a glob can match. A `--glob` would do so, but would also bring back ignored files. */
export function narrowTo(glob: GlobPattern): string[] {
  const types = glob.names.map((name) => `--type-add=wanted:${name.replace(/[^\p{L}\p{N}*?._ -]/gu, "?")}`);
  return [...types, "--type=wanted"];
}

/**
 * Runs ripgrep on the workspace, read-only and without a shell, and hands each record of its output to `take` until that returns false.
 * Rejects with `busy` where too many wait, `sandbox_unavailable` without a driver, `spawn_failed` without ripgrep, `invalid_input` for a pattern it cannot read.
 */
export async function runRipgrep(place: SearchSite, args: readonly string[], options: Reading): Promise<SearchEnd> {
  const { site } = place;
  const turn = await places.take(sharerOf(site.principal), { signal: site.signal });
  try {
    return await runNow(place, args, options);
  } finally {
    turn.free();
  }
}

interface Reading {
  readonly separator: "\n" | "\0";
  readonly take: (record: string) => boolean;
}

async function runNow(place: SearchSite, args: readonly string[], options: Reading): Promise<SearchEnd> {
  const handle = await start(place, args);
  const { site } = place;
  const cancel = () => handle.kill("cancelled");
  site.signal.addEventListener("abort", cancel, { once: true });
  try {
    site.reportPosture(handle.posture);
    // Ripgrep opens no connections, even in a sandbox with a network.
    site.reportReached([]);
    const reader = readRecords(options.separator.charCodeAt(0));
    let errors = "";
    let stopped = false;
    handle.onOutput((stream, chunk) => {
      site.alive();
      if (stream === "stderr") errors = (errors + Buffer.from(chunk).toString()).slice(0, mostErrorBytes);
      else if (!stopped && !reader.push(chunk).every((record) => options.take(record))) {
        stopped = true;
        handle.kill("stopped");
      }
    });
    const { exit, anomalies } = await handle.exited;
    site.signal.throwIfAborted();
    for (const anomaly of anomalies) site.reportAnomaly(anomaly);
    if (stopped) return { complete: true };
    return { complete: judgeExit(exit, errors) && !reader.skipped() };
  } finally {
    site.signal.removeEventListener("abort", cancel);
  }
}

async function start({ driver: found, site, workspace }: SearchSite, args: readonly string[]): Promise<ProcessHandle> {
  const driver = typeof found === "function" ? await found() : found;
  if (!driver)
    throw new ToolwrightError(
      "sandbox_unavailable",
      "Searching runs the program ripgrep, and no sandbox driver is configured to run it; configure one and install the package `ripgrep`.",
    );
  site.signal.throwIfAborted();
  try {
    return await driver.start({
      program: { argv: ["rg", ...args] },
      workspace,
      workdir: ".",
      writable: false,
      env: {},
      // Ripgrep opens no sockets; a driver that cannot take the network away is good enough.
      network: driver.traits.networks.includes("none") ? "none" : "host",
      limits: {},
      protectedPaths: [],
      stdin: "closed",
      timeoutMs,
    });
  } catch (error) {
    throw ToolwrightError.is(error) && error.code !== "spawn_failed" ? error : new ToolwrightError("spawn_failed", install);
  }
}

/** Exit codes of ripgrep: 0 found, 1 found nothing, 2 an error, perhaps beside matches. Others come from whoever should have started it. */
function judgeExit({ exitCode, reason }: { readonly exitCode: number | null; readonly reason: string }, errors: string): boolean {
  if (reason !== "exited") return false;
  if (exitCode === 0 || (exitCode === 1 && errors === "")) return true;
  if (/regex parse error|error parsing|compiled regex exceeds|literal .* not allowed in a regex/.test(errors))
    throw new ToolwrightError(
      "invalid_input",
      `The pattern is not a regular expression that ripgrep accepts; correct it, or take it as plain text. ${errors.trim()}`,
    );
  if (exitCode === 2) return false;
  throw new ToolwrightError("spawn_failed", install);
}

/** Splits a stream into records; bytes that are not UTF-8 become replacement characters. */
function readRecords(separator: number) {
  let rest = Buffer.alloc(0);
  let skipping = false;
  let skipped = false;
  return {
    skipped: () => skipped,
    push(chunk: Uint8Array): string[] {
      const records: string[] = [];
      let data = Buffer.concat([rest, chunk]);
      for (let end = data.indexOf(separator); end !== -1; end = data.indexOf(separator)) {
        if (!skipping) records.push(data.toString("utf8", 0, end));
        skipping = false;
        data = data.subarray(end + 1);
      }
      if (data.length > mostRecordBytes) {
        skipping = true;
        skipped = true;
      }
      rest = skipping ? Buffer.alloc(0) : data;
      return records;
    },
  };
}
