import type { InvokeOptions } from "@toolwright/engine";
import { type Clock, visibleText } from "@toolwright/engine/ports";

export interface ProgressWord {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

interface ProgressOptions {
  readonly clock: Clock;
  /** Milliseconds of silence after which the time itself is progress. */
  readonly everyMs: number;
  readonly send: (word: ProgressWord) => void;
  /** What happens meanwhile. Default: it runs. */
  readonly doing?: string | undefined;
  /** The last word that was said of the same request. */
  readonly after?: number | undefined;
}

interface ProgressReport {
  readonly onProgress: NonNullable<InvokeOptions["onProgress"]>;
  readonly onOutput: NonNullable<InvokeOptions["onOutput"]>;
  /** Undefined before the first word. */
  last(): number | undefined;
  close(): void;
}

/** Characters of output that a word of progress shows. */
const mostShown = 200;
/** Between two words about output, at least: a client draws each of them. */
const leastMs = 1_000;
/** What time and output add to a count of the tool's own, which they must not change. */
const step = 1e-6;

/**
 * Word of progress for one request: what the tool counts, the last line that it put out, and otherwise that it still runs. Each is more than the one
 * before (2026-07-28, "Progress"): without a count of the tool's own it is seconds.
 */
export function reportProgress({ clock, everyMs, send, doing = "Running", after }: ProgressOptions): ProgressReport {
  const startedAt = clock.monotonic();
  let isOpen = true;
  let last = after;
  let lastAt = startedAt;
  let line = "";
  /** What was said before the tool began to count; undefined until then. */
  let base: number | undefined;
  let total: number | undefined;
  let lastDone = Number.NEGATIVE_INFINITY;
  let stopTimer = () => {};

  const tell = (word: ProgressWord) => {
    last = word.progress;
    lastAt = clock.monotonic();
    send(word);
    stopTimer();
    wait();
  };
  const least = () => (last === undefined ? Number.NEGATIVE_INFINITY : last + step);
  const seconds = () => Math.round((clock.monotonic() - startedAt) / 1000);
  const tellTime = () => {
    const progress = Math.max(base === undefined ? seconds() : least(), least());
    tell({ progress, ...(total !== undefined && { total }), message: line === "" ? `${doing} for ${seconds()} s` : line });
  };
  const wait = () => {
    stopTimer = clock.after(everyMs, () => {
      if (isOpen) tellTime();
    });
  };
  wait();
  return {
    onProgress({ done, total: all, message }) {
      if (!isOpen || done <= lastDone) return;
      lastDone = done;
      base ??= last ?? 0;
      total = all === undefined ? undefined : base + all;
      const progress = Math.max(base + done, least());
      tell({ progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) });
    },
    onOutput(text) {
      if (!isOpen) return;
      line = lastLine(text) ?? line;
      if (line !== "" && clock.monotonic() - lastAt >= Math.min(leastMs, everyMs)) tellTime();
    },
    last: () => last,
    close() {
      isOpen = false;
      stopTimer();
    },
  };
}

function lastLine(text: string): string | undefined {
  const line = text
    .slice(-4 * mostShown)
    .trimEnd()
    .split(/[\r\n]/)
    .at(-1)
    ?.trim();
  return line ? visibleText(line.slice(0, mostShown)).toWellFormed() : undefined;
}
