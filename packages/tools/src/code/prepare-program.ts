import type { MakeWriter } from "./make-writer.ts";

/** What the program's engine can do outside of itself: functions that take texts. */
interface ProgramHost {
  /** Makes a call; what was passed is JSON. */
  call(name: string, input: string): void;
  /** Asks which tools fit the words; answered as a call is. */
  find(words: string): void;
  log(line: string): void;
}

/** All that a program is told, as JSON. */
export interface ProgramSettings {
  /** Names of tools. */
  readonly names: readonly string[];
  readonly mostCalls: number;
  /** Characters of JSON that one input, or the result, may have. */
  readonly longest: number;
  /** Characters of a line of the log. */
  readonly longestLine: number;
}

/** How a call ended, for the program. */
export type ProgramAnswer =
  | { readonly isDone: true; readonly value: unknown }
  | { readonly isDone: false; readonly code: string; readonly message: string };

/** What was thrown, in a line, and where: lines and columns of the program as it is evaluated, the innermost first. */
export interface ProgramThrown {
  readonly message: string;
  readonly stack: string;
}

interface PreparedProgram {
  /** Settles what was asked as the `id`th with a `ProgramAnswer` in JSON. */
  answer(id: number, answer: string): void;
  /** The result in JSON; undefined for one that is no value. Throws where JSON cannot hold it, or it is too long. */
  write(result: unknown): string | undefined;
  /** A `ProgramThrown` in JSON. */
  describe(thrown: unknown): string;
}

/**
 * Makes the globals of a program. Its text is evaluated inside the program's engine, before the program and once: it uses nothing outside of itself.
 * What the program changes of its own globals afterwards, it changes for itself.
 */
export function prepareProgram(host: ProgramHost, text: string, makeWriter: MakeWriter): PreparedProgram {
  const { parse, stringify } = JSON;
  const { hasOwn, defineProperty, freeze } = Object;
  const { Promise: KeptPromise, Error: KeptError, String: keptString } = globalThis;
  const { names, mostCalls, longest, longestLine }: ProgramSettings = parse(text);
  const { coded, write, show } = makeWriter(longest);
  const waiting: Record<number, { resolve(value: unknown): void; reject(error: unknown): void; readonly stack: string }> =
    Object.create(null);
  const longestName = 200;
  let made = 0;

  const ask = (send: () => void) =>
    new KeptPromise((resolve, reject) => {
      if (made === mostCalls)
        throw coded("call_tree_full", `A program makes at most ${mostCalls} calls. Return what there is, and go on in another call.`);
      // Where the call is made is where its failure is to be mended.
      const stack = keptString(new KeptError().stack);
      send();
      made += 1;
      waiting[made] = { resolve, reject, stack };
    });
  const call = (name: string, input: unknown) =>
    ask(() => host.call(name.slice(0, longestName), write(input ?? {}, `input of "${name.slice(0, longestName)}"`) ?? "null"));

  // Names that the language asks an object for are no names of tools that are missing.
  const isAsked = (key: string | symbol) => typeof key === "symbol" || key === "then" || key === "toJSON";
  /** A name that no tool has: the call says which one may be meant, also where it is written with points. */
  const missing = (name: string): unknown =>
    new Proxy((input: unknown) => call(name, input), {
      get: (target, key) => (isAsked(key) || key in target ? Reflect.get(target, key) : missing(`${name}.${String(key)}`)),
    });
  const known: Record<string, (input: unknown) => Promise<unknown>> = Object.create(null);
  for (const name of names) known[name] = (input) => call(name, input);
  const tools = new Proxy(freeze(known), {
    get: (target, key) => (isAsked(key) || hasOwn(target, key) ? target[key as string] : missing(String(key))),
  });

  const log = (...values: unknown[]) => host.log(values.map(show).join(" ").slice(0, longestLine));

  defineProperty(globalThis, "tools", { value: tools });
  defineProperty(globalThis, "findTools", {
    value: (words: unknown) => ask(() => host.find(keptString(words ?? "").slice(0, longestLine))),
  });
  const ways = { log, info: log, warn: log, error: log, debug: log, dir: log, table: log, trace: log };
  defineProperty(globalThis, "console", { value: freeze(ways) });

  return {
    answer(id, answered) {
      const { resolve, reject, stack } = waiting[id] as (typeof waiting)[number];
      delete waiting[id];
      const answer: ProgramAnswer = parse(answered);
      if (answer.isDone) resolve(answer.value);
      else reject(defineProperty(coded(answer.code, answer.message), "stack", { value: stack, writable: true, configurable: true }));
    },
    write: (result) => write(result, "result"),
    describe(thrown) {
      const stack = thrown instanceof KeptError ? keptString(thrown.stack) : "";
      return stringify({ message: show(thrown).slice(0, longestLine), stack: stack.slice(0, longestLine) });
    },
  };
}
