import { Worker } from "node:worker_threads";
import type { Clock } from "@toolwright/engine/ports";
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
  readonly seed: readonly number[];
  readonly signal: AbortSignal;
}

export type ProgramEnding = (ProgramEnd | { readonly ending: "busy"; readonly message: string }) & {
  readonly logs: readonly string[];
  /** Lines that the log had no room for. */
  readonly droppedLines: number;
};

/** Of a process: each takes up to 64 MB, and a processor while it computes. */
const mostRunning = 8;
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

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run(request: ProgramRequest): Promise<ProgramEnding> {
    if (this.#running.size >= mostRunning)
      return { ending: "busy", message: `${mostRunning} programs run at this moment.`, logs: [], droppedLines: 0 };
    const thread = this.#take();
    this.#running.add(thread);
    const program = new ProgramRun(thread, request, this.#clock);
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

/** One program in its thread: starts its calls, and hands it their answers. */
class ProgramRun {
  readonly end: Promise<ProgramEnding>;
  readonly #thread: Worker;
  readonly #request: ProgramRequest;
  readonly #clock: Clock;
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

  constructor(thread: Worker, request: ProgramRequest, clock: Clock) {
    this.#thread = thread;
    this.#request = request;
    this.#clock = clock;
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
      this.#answer();
      return;
    }
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
