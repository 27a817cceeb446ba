import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import quickJSVariant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import { closeGlobals, type ProgramFate } from "./close-globals.ts";
import { type ProgramSettings, prepareProgram } from "./prepare-program.ts";

/** Begins a program. */
export interface ProgramStart extends ProgramSettings, ProgramFate {
  readonly kind: "start";
  readonly program: string;
  /** Milliseconds that it may compute in all. */
  readonly computeMs: number;
}

/** How calls ended, each in JSON, in the order in which they were made. */
export interface ProgramAnswers {
  readonly kind: "answers";
  readonly answers: readonly string[];
}

export interface ProgramCall {
  readonly name: string;
  /** JSON. */
  readonly input: string;
}

export type ProgramEnd =
  /** `value` is JSON; undefined for a program that returns nothing. */
  | { readonly ending: "returned"; readonly value: string | undefined }
  | { readonly ending: "threw" | "looped" | "too_much_memory" | "never_settles"; readonly message: string };

/** The thread answers each message that it is sent with one of these; before the first, that it is `ready` to compute. */
export type ProgramNews =
  | { readonly kind: "ready" }
  /** Waits for the calls that it made, those among them. */
  | { readonly kind: "calls"; readonly calls: readonly ProgramCall[] }
  | { readonly kind: "ended"; readonly end: ProgramEnd; readonly logs: readonly string[]; readonly droppedLines: number };

/** Pages of 64 kB: 64 MB for all that a program has and QuickJS with it. */
const memoryPages = { initial: 256, maximum: 1024 };
const stackBytes = 256 * 1024;
/** Characters of the log in all. */
const longestLog = 32_000;
const mostLines = 1_000;

/** What the types of Node do not declare. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (pages: typeof memoryPages) => object;
};
const wasmModule = new WebAssembly.Module(readFileSync(new URL(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"))));
/** Its types are those of its CommonJS form. */
const variant = quickJSVariant as unknown as QuickJSSyncVariant;

/** One program in an engine of its own, whose memory nothing else has used. */
class RunningProgram {
  readonly #context: QuickJSContext;
  readonly #computeMs: number;
  readonly #calls: ProgramCall[] = [];
  readonly #logs: string[] = [];
  #logged = 0;
  #droppedLines = 0;
  #computedMs = 0;
  #beganAt = 0;
  #made = 0;
  #answered = 0;
  #prepared!: QuickJSHandle;
  #promise!: QuickJSHandle;

  private constructor(context: QuickJSContext, computeMs: number) {
    this.#context = context;
    this.#computeMs = computeMs;
  }

  static async open(start: ProgramStart): Promise<RunningProgram> {
    const wasmMemory = new WebAssembly.Memory(memoryPages);
    const quickJS = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule, wasmMemory }));
    const context = quickJS.newContext();
    context.runtime.setMaxStackSize(stackBytes);
    const program = new RunningProgram(context, start.computeMs);
    program.#prepare(start);
    context.runtime.setInterruptHandler(() => program.#isSpent);
    return program;
  }

  #prepare({ names, now, seed, mostCalls, longest, longestLine }: ProgramStart): void {
    const context = this.#context;
    const host = context.newObject();
    const call = context.newFunction("call", (name, input) => {
      this.#calls.push({ name: context.getString(name), input: context.getString(input) });
      this.#made += 1;
    });
    const log = context.newFunction("log", (line) => this.#log(context.getString(line)));
    context.setProp(host, "call", call);
    context.setProp(host, "log", log);
    const fate: ProgramFate = { now, seed };
    context.unwrapResult(context.evalCode(`(${closeGlobals})(${JSON.stringify(fate)})`, "close.js"));
    const settings: ProgramSettings = { names, mostCalls, longest, longestLine };
    const prepare = context.unwrapResult(context.evalCode(`(${prepareProgram})`, "prepare.js"));
    this.#prepared = context.unwrapResult(
      context.callFunction(prepare, context.undefined, host, context.newString(JSON.stringify(settings))),
    );
  }

  /** Begins, and computes until it waits for calls or has ended. */
  start(program: string): ProgramNews {
    return this.#compute(() => {
      const begun = this.#context.evalCode(`(async () => {${program}\n})()`, "program.js", { strict: true });
      if (begun.error) return this.#threw(begun.error);
      this.#promise = begun.value;
      return this.#drain();
    });
  }

  /** One after the other, each with all that follows from it: what a program does next depends on their order alone, never on time. */
  answer(answers: readonly string[]): ProgramNews {
    return this.#compute(() => {
      for (const answer of answers) {
        this.#answered += 1;
        const context = this.#context;
        const settled = this.#call("answer", context.newNumber(this.#answered), context.newString(answer));
        const end = settled.error ? this.#threw(settled.error) : this.#drain();
        if (end) return end;
      }
      return undefined;
    });
  }

  #compute(run: () => ProgramEnd | undefined): ProgramNews {
    this.#beganAt = performance.now();
    let end: ProgramEnd | undefined;
    try {
      end = run();
      // An interruption inside of a promise's reaction is lost with it.
      if (!end && this.#isSpent) end = this.#judge("");
      if (!end && this.#made === this.#answered) end = { ending: "never_settles", message: "It waits for a promise that nothing settles." };
    } catch (error) {
      end = this.#broke(error);
    }
    this.#computedMs = this.#computed();
    if (end) return { kind: "ended", end, logs: this.#logs, droppedLines: this.#droppedLines };
    return { kind: "calls", calls: this.#calls.splice(0) };
  }

  #computed(): number {
    return this.#computedMs + performance.now() - this.#beganAt;
  }

  get #isSpent(): boolean {
    return this.#computed() > this.#computeMs;
  }

  /** Runs what follows, and says how the program ended, if it did. */
  #drain(): ProgramEnd | undefined {
    const ran = this.#context.runtime.executePendingJobs();
    if (ran.error) return this.#threw(ran.error);
    const state = this.#context.getPromiseState(this.#promise);
    if (state.type === "pending") return undefined;
    if (state.type === "rejected") return this.#threw(state.error);
    const written = this.#call("write", state.value);
    if (written.error) return this.#threw(written.error);
    const value: unknown = this.#context.dump(written.value);
    return { ending: "returned", value: typeof value === "string" ? value : undefined };
  }

  #threw(error: QuickJSHandle): ProgramEnd {
    if (this.#isSpent) return this.#judge("");
    const described = this.#call("describe", error);
    if (described.error) return this.#broke("");
    return this.#judge(this.#context.getString(described.value));
  }

  /** QuickJS itself: what it had no memory for it may say in its own way. */
  #broke(error: unknown): ProgramEnd {
    return this.#judge(error instanceof Error ? `${error.name}: ${error.message}` : "InternalError: out of memory");
  }

  #judge(message: string): ProgramEnd {
    if (this.#isSpent) return { ending: "looped", message };
    if (/out of memory|memory access out of bounds|Aborted/.test(message)) return { ending: "too_much_memory", message };
    return { ending: "threw", message };
  }

  #call(name: "answer" | "write" | "describe", ...given: QuickJSHandle[]) {
    const member = this.#context.getProp(this.#prepared, name);
    return this.#context.callFunction(member, this.#context.undefined, ...given);
  }

  #log(line: string): void {
    if (this.#logs.length >= mostLines || this.#logged + line.length > longestLog) {
      this.#droppedLines += 1;
      return;
    }
    this.#logged += line.length;
    this.#logs.push(line);
  }
}

// The zone in which a program's dates are: that of this machine is none of its business, and may be another one when it is run again.
Date.prototype.getTimezoneOffset = () => 0;

let running: RunningProgram | undefined;

parentPort?.on("message", async (message: ProgramStart | ProgramAnswers) => {
  const tell = (news: ProgramNews) => parentPort?.postMessage(news);
  if (message.kind === "answers") return tell(running?.answer(message.answers) as ProgramNews);
  running = await RunningProgram.open(message);
  tell({ kind: "ready" });
  tell(running.start(message.program));
});
