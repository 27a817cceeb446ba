import { type EventLoopUtilization, performance } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Milliseconds that are looked at together. */
const windowMs = 2_000;
/** Share of a window up to which a process counts as idle. */
const mostBusy = 0.05;
/** Bytes of the space for new objects that are worth a collection: V8 lets it grow to 64 MB while much is loaded, and gives nothing of it back. */
const worthBytes = 16 * 1024 * 1024;
/** Milliseconds between two collections: each holds the process up for about a tenth of a second. */
const leastBetweenMs = 60_000;

type Collect = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

/** Gives memory back to the machine that a start or a burst of work has left behind, as soon as nothing happens. Returns what ends it. */
export function trimWhenIdle({ everyMs = windowMs } = {}): () => void {
  let since: EventLoopUtilization = performance.eventLoopUtilization();
  let trimmedAt = Number.NEGATIVE_INFINITY;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, since);
    since = now;
    if (utilization > mostBusy || performance.now() - trimmedAt < leastBetweenMs || newSpaceBytes() < worthBytes) return;
    trimmedAt = performance.now();
    collector()?.({ type: "major", flavor: "last-resort" });
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

const newSpaceBytes = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;

/** V8 shows it to scripts only where a flag says so, which a context that is made later goes by. */
function collector(): Collect | undefined {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  return typeof found === "function" ? (found as Collect) : undefined;
}
