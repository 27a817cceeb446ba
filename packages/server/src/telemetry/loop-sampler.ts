/** A thread that looks at the one that serves while that one is held, which no code of its own could do. */
import { Session } from "node:inspector";
import { workerData } from "node:worker_threads";

const { beats, lookMs, sampler } = workerData as { readonly beats: SharedArrayBuffer; readonly lookMs: number; readonly sampler: string };
const counter = new Int32Array(beats);
const state = { beat: -1, since: 0, asked: 0 };

setInterval(look, lookMs / 4);

/** Asks twice within the limit, so that the watch can tell one work from many small ones. */
function look(): void {
  const [now, beat] = [performance.now(), Atomics.load(counter, 0)];
  if (beat !== state.beat) Object.assign(state, { beat, since: now, asked: now });
  if (now - state.asked < lookMs) return;
  state.asked = now;
  sample();
}

/** V8 runs it between two steps of the code that holds the thread, in that code's asynchronous context. Nothing stays attached. */
function sample(): void {
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.evaluate", { expression: `globalThis[Symbol.for(${JSON.stringify(sampler)})]?.()` }, () => session.disconnect());
}
