import { AsyncLocalStorage } from "node:async_hooks";
import { PerformanceObserver } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import type { LoopWork, Telemetry } from "@toolwright/engine/ports";

/** Milliseconds between two beats. */
const beatMs = 25;

/** A stretch in which the event loop did nothing else. */
export interface HeldLoop extends Pick<LoopWork, "tenant" | "callId"> {
  /** A tool, operation or route; `garbage_collection`; `several` for many works in one turn of the loop; `other` for code without a name. */
  readonly operation: string;
  /** Milliseconds of processor time. */
  readonly ms: number;
  /** Where the code was when it was looked at, such as `file:///app/edit.js:12:3`. */
  readonly place?: string | undefined;
}

/** What a watch reads at each beat, in milliseconds from arbitrary starts. */
interface LoopReading {
  readonly at: number;
  /** Processor time of this thread. */
  readonly cpuMs: number;
  /** Time in garbage collection. */
  readonly gcMs: number;
}

export interface LoopWatchOptions {
  /** Called once for each stretch above the limit. *Contract:* it is quick and does not throw. */
  readonly onHeld: (held: HeldLoop) => void;
  /** Milliseconds. Default 200. */
  readonly limitMs?: number;
}

/** Names what holds the event loop of this thread. */
export interface LoopWatch {
  /** For the engine: `telemetry: { ...traceCalls(), within: watch.within }`. */
  readonly within: NonNullable<Telemetry["within"]>;
  stop(): Promise<void>;
}

/**
 * What a stretch between two beats was: work, garbage collection, or nothing that this thread did. Without processor time the machine was busy or the process
 * was suspended.
 */
export function judgeStretch(before: LoopReading, now: LoopReading, limitMs: number): "work" | "garbage_collection" | undefined {
  const lateMs = now.at - before.at - beatMs;
  const cpuMs = now.cpuMs - before.cpuMs;
  if (lateMs <= limitMs || cpuMs <= limitMs) return undefined;
  return cpuMs - (now.gcMs - before.gcMs) > limitMs ? "work" : "garbage_collection";
}

interface Sample {
  readonly describe: (() => LoopWork) | undefined;
  readonly place: string | undefined;
}

let watches = 0;

/** Watches the event loop of the main thread until it is stopped. A second thread looks at what runs once the loop is held for half of the limit. */
export function watchLoop({ onHeld, limitMs = 200 }: LoopWatchOptions): LoopWatch {
  const works = new AsyncLocalStorage<() => LoopWork>();
  const samples: Sample[] = [];
  watches += 1;
  const sampler = `toolwright.loop.${watches}`;
  const key = Symbol.for(sampler);
  Object.defineProperty(globalThis, key, {
    configurable: true,
    value: () => samples.push({ describe: works.getStore(), place: placeOf(new Error().stack) }),
  });
  const beats = new SharedArrayBuffer(4);
  const counter = new Int32Array(beats);
  const file = new URL(import.meta.url.endsWith(".ts") ? "./loop-sampler.ts" : "./loop-sampler.js", import.meta.url);
  const thread = new Worker(file, { workerData: { beats, sampler, lookMs: limitMs / 2 }, env: {}, execArgv: [] });
  thread.unref();
  // A process that forbids threads or the inspector is watched all the same, without names.
  thread.on("error", () => {});
  const collected = collectionTime();
  let before = read();
  const timer = setInterval(beat, beatMs).unref();
  return {
    within: (describe, action) => works.run(describe, action),
    async stop() {
      clearInterval(timer);
      collected.stop();
      Reflect.deleteProperty(globalThis, key);
      await thread.terminate();
    },
  };

  function read(): LoopReading {
    return { at: performance.now(), cpuMs: threadMs(), gcMs: collected.ms() };
  }

  function beat(): void {
    Atomics.add(counter, 0, 1);
    const seen = samples.splice(0);
    const [last, now] = [before, read()];
    before = now;
    if (judgeStretch(last, now, limitMs) === undefined) return;
    // What was collected is known a turn later.
    setImmediate(() => {
      const cause = judgeStretch(last, { ...now, gcMs: collected.ms() }, limitMs);
      if (cause !== undefined)
        onHeld({ ...(cause === "work" ? nameOf(seen) : { operation: cause }), ms: Math.round(now.cpuMs - last.cpuMs) });
    });
  }
}

/** The one work that was seen each time. */
function nameOf(samples: readonly Sample[]): Omit<HeldLoop, "ms"> {
  const [first] = samples;
  if (samples.some(({ describe }) => describe !== first?.describe)) return { operation: "several" };
  const { name = "other", ...about } = first?.describe?.() ?? {};
  return { operation: name, ...about, place: first?.place };
}

/** The innermost line of a file below those of the sampler. */
function placeOf(stack = ""): string | undefined {
  const places = stack
    .split("\n")
    .slice(3)
    .map((line) => line.slice(Math.max(line.lastIndexOf("("), line.lastIndexOf(" ")) + 1));
  return places.find((place) => /^(?:file:|\/|[A-Za-z]:\\)/.test(place))?.replace(/\)$/, "");
}

/** Processor time of this thread in milliseconds; of the process where Node cannot tell them apart, so that others' work counts too. */
function threadMs(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage).call(process);
  return (user + system) / 1000;
}

function collectionTime() {
  let total = 0;
  const add = (entries: readonly { readonly duration: number }[]) => {
    for (const { duration } of entries) total += duration;
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });
  return {
    ms(): number {
      add(observer.takeRecords());
      return total;
    },
    stop: () => observer.disconnect(),
  };
}
