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
import { standBack } from "../stand-back.ts";
import { closeGlobals, type ProgramFate } from "./close-globals.ts";
import { makeWriter } from "./make-writer.ts";
import { type ProgramSettings, type ProgramThrown, prepareProgram } from "./prepare-program.ts";

/** Begins a program. */
export interface ProgramStart extends ProgramSettings, ProgramFate {
  readonly kind: "start";
  readonly program: string;
  /** Milliseconds that it may compute in all. */
  readonly computeMs: number;
}

/** What came of calls, each in JSON, in the order in which they were made. */
export interface ProgramAnswers {
  readonly kind: "answers";
  readonly answers: readonly string[];
}

export type ProgramCall =
  /** The input is JSON. */
  | { readonly name: string; readonly input: string }
  /** Asks which tools fit these words. */
  | { readonly find: string };

export type ProgramEnd =
  /** `value` is JSON; undefined for a program that returns nothing. */
  | { readonly ending: "returned"; readonly value: string | undefined }
  | ({ readonly ending: "threw" } & ProgramThrown)
  | { readonly ending: "looped" | "too_much_memory" | "never_settles"; readonly message: string };

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
/** In the stacks of errors. */
const programFile = "program.js";

/** What the types of Node do not declare. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (pages: typeof memoryPages) => object;
};
const wasmModule = new WebAssembly.Module(readFileSync(new URL(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"))));
/** Its types are those of its CommonJS form. */
const variant = quickJSVariant as unknown as QuickJSSyncVariant;

/** An engine that no program has used, with the functions that make its globals. */
interface FreshEngine {
  readonly context: QuickJSContext;
  readonly close: QuickJSHandle;
  readonly prepare: QuickJSHandle;
  readonly writer: QuickJSHandle;
}

async function openEngine(): Promise<FreshEngine> {
  const wasmMemory = new WebAssembly.Memory(memoryPages);
  const quickJS = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule, wasmMemory }));
  const context = quickJS.newContext();
  context.runtime.setMaxStackSize(stackBytes);
  const [close, prepare, writer] = [closeGlobals, prepareProgram, makeWriter].map((make) =>
    context.unwrapResult(context.evalCode(`(${make})`)),
  );
  return { context, close, prepare, writer } as FreshEngine;
}

/** One program in an engine of its own. What it holds ends with the engine. */
class RunningProgram {
  readonly #context: QuickJSContext;
  readonly #computeMs: number;
  readonly #calls: ProgramCall[] = [];
  readonly #logs: string[] = [];
  readonly #answer: QuickJSHandle;
  readonly #write: QuickJSHandle;
  readonly #describe: QuickJSHandle;
  #promise: QuickJSHandle | undefined;
  /** How the program itself ended, while calls that it did not await go on. */
  #end: ProgramEnd | undefined;
  #logged = 0;
  #droppedLines = 0;
  #computedMs = 0;
  #beganAt = 0;
  #made = 0;
  #answered = 0;

  constructor({ context, close, prepare, writer }: FreshEngine, { computeMs, now, seed, ...start }: ProgramStart) {
    this.#context = context;
    this.#computeMs = computeMs;
    const { names, mostCalls, longest, longestLine } = start;
    const fate: ProgramFate = { now, seed };
    const settings: ProgramSettings = { names, mostCalls, longest, longestLine };
    context.unwrapResult(context.callFunction(close, context.undefined, context.newString(JSON.stringify(fate))));
    const given = [this.#openHost(), context.newString(JSON.stringify(settings)), writer];
    const prepared = context.unwrapResult(context.callFunction(prepare, context.undefined, ...given));
    this.#answer = context.getProp(prepared, "answer");
    this.#write = context.getProp(prepared, "write");
    this.#describe = context.getProp(prepared, "describe");
    context.runtime.setInterruptHandler(() => this.#isSpent);
  }

  #openHost(): QuickJSHandle {
    const context = this.#context;
    const host = context.newObject();
    const ask = (call: ProgramCall) => {
      this.#calls.push(call);
      this.#made += 1;
    };
    const call = context.newFunction("call", (name, input) => ask({ name: context.getString(name), input: context.getString(input) }));
    const find = context.newFunction("find", (words) => ask({ find: context.getString(words) }));
    const log = context.newFunction("log", (line) => this.#log(context.getString(line)));
    context.setProp(host, "call", call);
    context.setProp(host, "find", find);
    context.setProp(host, "log", log);
    return host;
  }

  /** Begins, and computes until it waits for calls or has ended. */
  start(program: string): ProgramNews {
    return this.#compute(() => {
      const begun = this.#context.evalCode(this.#asCall(program), programFile, { strict: true });
      if (begun.error) return this.#threw(begun.error);
      this.#promise = begun.value;
      return this.#drain();
    });
  }

  /** The body of a function; or an expression, whose value is the result, and which is called where that is a function. It begins on the second line. */
  #asCall(program: string): string {
    const asExpression = `(async () => { const value = (\n${program}\n); return typeof value === "function" ? value() : value; })()`;
    const compiled = this.#context.evalCode(asExpression, programFile, { strict: true, compileOnly: true });
    compiled.dispose();
    return compiled.error ? `(async () => {\n${program}\n})()` : asExpression;
  }

  /** One after the other, each with all that follows from it: what a program does next depends on their order alone, never on time. */
  answer(answers: readonly string[]): ProgramNews {
    return this.#compute(() => {
      for (const answer of answers) {
        this.#answered += 1;
        // All answers together may be more than the engine has room for.
        const given = this.#context.newString(answer);
        const settled = this.#call(this.#answer, this.#context.newNumber(this.#answered), given);
        given.dispose();
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
    if (!end) return { kind: "calls", calls: this.#calls.splice(0) };
    return { kind: "ended", end, logs: this.#logs, droppedLines: this.#droppedLines };
  }

  #computed(): number {
    return this.#computedMs + performance.now() - this.#beganAt;
  }

  get #isSpent(): boolean {
    return this.#computed() > this.#computeMs;
  }

  /** Runs what follows, and says how the program ended, if it did and all that it asked for is answered. */
  #drain(): ProgramEnd | undefined {
    const ran = this.#context.runtime.executePendingJobs();
    if (ran.error) return this.#threw(ran.error);
    this.#end ??= this.#settled();
    return this.#end?.ending !== "returned" || this.#made === this.#answered ? this.#end : undefined;
  }

  #settled(): ProgramEnd | undefined {
    const state = this.#context.getPromiseState(this.#promise as QuickJSHandle);
    if (state.type === "pending") return undefined;
    if (state.type === "rejected") return this.#threw(state.error);
    const written = this.#call(this.#write, state.value);
    if (written.error) return this.#threw(written.error);
    const value: unknown = this.#context.dump(written.value);
    return { ending: "returned", value: typeof value === "string" ? value : undefined };
  }

  #threw(error: QuickJSHandle): ProgramEnd {
    if (this.#isSpent) return this.#judge("");
    const described = this.#call(this.#describe, error);
    if (described.error) return this.#broke("");
    const { message, stack }: ProgramThrown = JSON.parse(this.#context.getString(described.value));
    return this.#judge(message, stack);
  }

  /** QuickJS itself: what it had no memory for it may say in its own way. */
  #broke(error: unknown): ProgramEnd {
    return this.#judge(error instanceof Error ? `${error.name}: ${error.message}` : "InternalError: out of memory");
  }

  #judge(message: string, stack = ""): ProgramEnd {
    if (this.#isSpent) return { ending: "looped", message };
    if (/out of memory|memory access out of bounds|Aborted/.test(message)) return { ending: "too_much_memory", message };
    return { ending: "threw", message, stack };
  }

  #call(made: QuickJSHandle, ...given: QuickJSHandle[]) {
    return this.#context.callFunction(made, this.#context.undefined, ...given);
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

standBack();

// The zone in which a program's dates are: that of this machine is none of its business, and may be another one when it is run again.
Date.prototype.getTimezoneOffset = () => 0;

let fresh = openEngine();
let running: RunningProgram | undefined;

parentPort?.on("message", async (message: ProgramStart | ProgramAnswers) => {
  if (message.kind === "answers") return tell(running?.answer(message.answers) as ProgramNews);
  running = new RunningProgram(await fresh, message);
  tell({ kind: "ready" });
  tell(running.start(message.program));
});

/** While nobody waits, the next program gets its engine. */
function tell(news: ProgramNews): void {
  parentPort?.postMessage(news);
  if (news.kind !== "ended") return;
  running = undefined;
  fresh = openEngine();
}
