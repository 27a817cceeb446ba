import type { GitNeed } from "@toolwright/commands";
import type { Anomaly } from "@toolwright/engine";
import type { ProcessHandle } from "@toolwright/engine/ports";
import type { GuardedRun } from "../git-metadata/guard-metadata.ts";

/** A process whose workspace is compared when it ends, and whenever somebody looks at it. */
export interface WatchedProcess extends ProcessHandle {
  /** What it did to git metadata so far. Never rejects. */
  checkMetadata(): Promise<readonly Anomaly[]>;
}

/** What programs print when they cannot write sealed metadata. */
const refusal =
  /\.git\b[^\n]*(?:read-only file system|EROFS|resource busy|EBUSY)|(?:read-only file system|EROFS|resource busy|EBUSY)[^\n]*\.git\b/i;
const scannedBytes = 1024 * 1024;
const overlap = 512;

/** Adds to what is known of an ended process what it left for git to obey, and that metadata was read-only where that mattered. */
export function watchMetadata(handle: ProcessHandle, run: GuardedRun, need: GitNeed): WatchedProcess {
  const isRefused = scanOutput(handle, run.sealedPaths.length > 0);
  const exited = handle.exited.then(async (report) => {
    const found = await run.end();
    const wasHeldBack = need.heldBackBy !== undefined && report.exit.exitCode !== 0 && run.sealedPaths.length > 0;
    const refused = wasHeldBack || isRefused.found ? [describeRefusal(need)] : [];
    return { ...report, anomalies: [...report.anomalies, ...refused, ...found] };
  });
  return {
    ...handle,
    posture: { ...handle.posture, gaps: [...handle.posture.gaps, ...run.gaps] },
    onOutput: isRefused.onOutput,
    exited,
    checkMetadata: () => run.check(),
  };
}

function describeRefusal({ heldBackBy }: GitNeed): Anomaly {
  const because = heldBackBy === undefined ? "" : `, because ${JSON.stringify(heldBackBy.slice(0, 80))} is on the same line`;
  const message = `Git metadata (.git) was read-only for this command${because}. Run git commands that change a repository, and rm of one, in a call of their own.`;
  return { kind: "git_metadata", message };
}

function scanOutput(handle: ProcessHandle, wanted: boolean) {
  const streams = { stdout: { seen: 0, tail: "" }, stderr: { seen: 0, tail: "" } };
  const scan = {
    found: false,
    onOutput: (listener: Parameters<ProcessHandle["onOutput"]>[0]) =>
      handle.onOutput((stream, chunk) => {
        const state = streams[stream];
        if (wanted && !scan.found && state.seen < scannedBytes) {
          state.seen += chunk.length;
          const text = state.tail + Buffer.from(chunk).toString("latin1");
          scan.found = refusal.test(text);
          state.tail = text.slice(-overlap);
        }
        listener(stream, chunk);
      }),
  };
  return scan;
}
