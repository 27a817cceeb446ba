import { Worker } from "node:worker_threads";
import { type Clock, FairPool, type PoolSlot, processorPoolCapacity, type Sharer } from "@toolwright/engine/ports";
import type { ProgramAnswers, ProgramCall, ProgramEnd, ProgramNews, ProgramStart } from "./code-worker.ts";
import type { ProgramAnswer } from "./prepare-program.ts";

/** A program, and what it is given of the call that runs it. */
export interface CodeRequest {
  readonly program: string;
  /** Milliseconds that it may compute in all; the time of its calls does not count. */
  readonly computeMs: number;
  /** What its clock says, in milliseconds since the epoch. */
  readonly now: number;
  /** Names of the tools that it has. */
  readonly names: readonly string[];
  /** Makes a call. Where it rejects, the program is ended, and `run` rejects with that. */
  readonly call: (name: string, input: unknown, step: string) => Promise<ProgramAnswer>;
  /** What the program is told of the tools that fit its words. */
  readonly find: (words: string) => unknown;
}

interface ProgramRequest extends CodeRequest {
  /** Whose program it is. */
  readonly sharer: Sharer;
  readonly seed: readonly number[];
  readonly signal: AbortSignal;
}

export type ProgramEnding = ProgramEnd & {
  readonly logs: readonly string[];
  /** Lines that the log had no room for. */
  readonly droppedLines: number;
};

/** Programs of a process that compute at once: each takes a processor. One that waits for its calls computes nothing, and gives its place back. */
const mostComputing = processorPoolCapacity;
/** Programs of a process that have begun: each takes up to 64 MB. They may wait for long, so half of the places stay free for other tenants. */
const mostBegun = 32;
const mostIdle = 2;
const idleMs = 60_000;
/** Milliseconds that a thread may go on after its program's time: some of what QuickJS does, it does not interrupt. */
const graceMs = 250;
/** Calls of one program: the gate has the same bound, for all that a call is the root of. */
const mostCalls = 200;
const longest = 1_000_000;
const longestLine = 2_000;

/** The worker stands beside this file, as source or built. */
const workerFile = new URL(import.meta.url.endsWith(".ts") ? "./code-worker.ts" : "./code-worker.js", import.meta.url);
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 };

/** Threads that run programs, one each at a time. */
export class ProgramThreads {
  readonly #clock: Clock;
  readonly #idle = new Map<Worker, () => void>();
  readonly #running = new Set<Worker>();
  readonly #begun: FairPool;
  readonly #computing: FairPool;

  constructor(clock: Clock) {
    this.#clock = clock;
    const begun = { capacity: mostBegun, mostOfTenant: mostBegun / 2, mostOfPerson: mostBegun / 4 };
    this.#begun = new FairPool({ things: "programs", ...begun, clock });
    this.#computing = new FairPool({ things: "programs that compute", capacity: mostComputing, mostWaiting: mostBegun, clock });
  }

  /** Rejects with `busy`. */
  async run(request: ProgramRequest): Promise<ProgramEnding> {
    const { sharer, signal } = request;
    const place = await this.#begun.take(sharer, { signal });
    let computing: PoolSlot | undefined;
    try {
      computing = await this.#computing.take(sharer, { signal });
      return await this.#runIn(computing, request);
    } finally {
      computing?.free();
      place.free();
    }
  }

  async #runIn(place: PoolSlot, request: ProgramRequest): Promise<ProgramEnding> {
    const thread = this.#take();
    this.#running.add(thread);
    const program = new ProgramRun(thread, request, { clock: this.#clock, pool: this.#computing, place });
    try {
      return await program.end;
    } finally {
      this.#running.delete(thread);
      if (program.isSpoilt || this.#idle.size >= mostIdle) void thread.terminate();
      else this.#keep(thread);
    }
  }

  async close(): Promise<void> {
    for (const stopIdling of this.#idle.values()) stopIdling();
    const threads = [...this.#idle.keys(), ...this.#running];
    this.#idle.clear();
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  #take(): Worker {
    for (const [thread, stopIdling] of this.#idle) {
      stopIdling();
      this.#idle.delete(thread);
      return thread;
    }
    const thread = new Worker(workerFile, { env: {}, resourceLimits });
    thread.once("exit", () => this.#idle.delete(thread));
    // One that is ended may still say why.
    thread.on("error", () => {});
    // The call that waits for it keeps the process alive.
    thread.unref();
    return thread;
  }

  #keep(thread: Worker): void {
    const end = () => {
      this.#idle.delete(thread);
      void thread.terminate();
    };
    this.#idle.set(thread, this.#clock.after(idleMs, end));
  }
}

interface ProgramParts {
  readonly clock: Clock;
  readonly pool: FairPool;
  /** A place of the pool to begin with. */
  readonly place: PoolSlot;
}

/** One program in its thread: starts its calls, and hands it their answers. */
class ProgramRun {
  readonly end: Promise<ProgramEnding>;
  readonly #thread: Worker;
  readonly #request: ProgramRequest;
  readonly #clock: Clock;
  readonly #pool: FairPool;
  /** Held while the program computes. */
  #place: PoolSlot;
  /** Ends a wait for a place. */
  readonly #over = new AbortController();
  readonly #answers = new Map<number, string>();
  readonly #ending = Promise.withResolvers<ProgramEnding>();
  #asked = 0;
  #answered = 0;
  #isComputing = true;
  readonly #made: Promise<void>[] = [];
  #hasEnded = false;
  #soon: NodeJS.Immediate | undefined;
  #computedMs = 0;
  #stopWatching = () => {};
  /** True for a thread that must not be used again. */
  isSpoilt = true;

  constructor(thread: Worker, request: ProgramRequest, { clock, pool, place }: ProgramParts) {
    this.#thread = thread;
    this.#request = request;
    this.#clock = clock;
    this.#pool = pool;
    this.#place = place;
    const { program, computeMs, now, seed, names, signal } = request;
    const abort = () => this.#ending.reject(signal.reason);
    const broke = (error: Error & { code?: string }) =>
      this.#stop(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "too_much_memory" : "threw", `Its thread ended: ${error.message}`);
    const exited = () => this.#stop("threw", "Its thread ended.");
    thread.on("message", this.#hear).once("error", broke).once("exit", exited);
    signal.addEventListener("abort", abort, { once: true });
    this.end = this.#ending.promise.finally(() => {
      this.#hasEnded = true;
      this.#stopWatching();
      this.#over.abort();
      this.#place.free();
      thread.off("message", this.#hear).off("error", broke).off("exit", exited);
      signal.removeEventListener("abort", abort);
    });
    if (signal.aborted) abort();
    this.#post({ kind: "start", program, computeMs, now, seed, names, mostCalls, longest, longestLine });
  }

  readonly #hear = (news: ProgramNews): void => {
    if (news.kind === "ready") {
      this.#watch();
      return;
    }
    this.#stopWatching();
    this.#isComputing = false;
    if (news.kind === "calls") {
      // All that the program made at once begin at once: it is the order of making that counts.
      for (const call of news.calls) this.#made.push(this.#call(call));
      this.#place.free();
      this.#answer();
      return;
    }
    this.#place.free();
    this.isSpoilt = false;
    this.#hasEnded = true;
    const ending = { ...news.end, logs: news.logs, droppedLines: news.droppedLines };
    // Those that still run when it throws are calls like others.
    void Promise.all(this.#made).then(() => this.#ending.resolve(ending));
  };

  async #call(call: ProgramCall): Promise<void> {
    const id = ++this.#asked;
    try {
      this.#answers.set(id, JSON.stringify(await this.#answerOf(call, `${id}`)));
      // Those that end in the same turn of the event loop go together: a message costs more than an answer.
      this.#soon ??= setImmediate(() => this.#answer());
    } catch (error) {
      this.#ending.reject(error);
    }
  }

  #answerOf(call: ProgramCall, step: string): ProgramAnswer | Promise<ProgramAnswer> {
    if ("find" in call) return { isDone: true, value: this.#request.find(call.find) };
    return this.#request.call(call.name, JSON.parse(call.input), step);
  }

  #answer(): void {
    this.#soon = undefined;
    if (this.#isComputing || this.#hasEnded) return;
    const answers: string[] = [];
    for (let next = this.#answers.get(this.#answered + 1); next !== undefined; next = this.#answers.get(this.#answered + 1)) {
      this.#answered += 1;
      this.#answers.delete(this.#answered);
      answers.push(next);
    }
    if (answers.length === 0) return;
    this.#isComputing = true;
    void this.#goOn(answers);
  }

  async #goOn(answers: readonly string[]): Promise<void> {
    const { sharer } = this.#request;
    try {
      this.#place = this.#pool.tryTake(sharer) ?? (await this.#pool.take(sharer, { signal: this.#over.signal, isBack: true }));
    } catch {
      return;
    }
    if (this.#hasEnded) return this.#place.free();
    this.#watch();
    this.#post({ kind: "answers", answers });
  }

  /** From outside, too: a thread that does not come back from what it computes is ended. */
  #watch(): void {
    const { computeMs } = this.#request;
    const from = this.#clock.monotonic();
    const cancel = this.#clock.after(computeMs - this.#computedMs + graceMs, () => this.#stop("looped", ""), { keepAlive: true });
    this.#stopWatching = () => {
      cancel();
      this.#computedMs += this.#clock.monotonic() - from;
      this.#stopWatching = () => {};
    };
  }

  #stop(ending: Exclude<ProgramEnd["ending"], "returned">, message: string): void {
    this.#ending.resolve({ ending, message, stack: "", logs: [], droppedLines: 0 });
  }

  #post(message: ProgramStart | ProgramAnswers): void {
    this.#thread.postMessage(message);
  }
}
