/** What the program's engine can do outside of itself: two functions that take texts. */
export interface ProgramHost {
  /** Makes a call; what was passed is JSON. */
  call(name: string, input: string): void;
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

export interface PreparedProgram {
  /** Settles the call that was made as the `id`th with a `ProgramAnswer` in JSON. */
  answer(id: number, answer: string): void;
  /** The result in JSON; undefined for one that is no value. Throws where it is none, or too long. */
  write(result: unknown): string | undefined;
  /** What was thrown, in a line. */
  describe(thrown: unknown): string;
}

/**
 * Makes the globals of a program. Its text is evaluated inside the program's engine, before the program and once: it uses nothing outside of itself.
 * What the program changes of its own globals afterwards, it changes for itself.
 */
export function prepareProgram(host: ProgramHost, text: string): PreparedProgram {
  const { parse, stringify } = JSON;
  const { hasOwn, defineProperty, freeze } = Object;
  const { Promise: KeptPromise, Error: KeptError } = globalThis;
  const { names, mostCalls, longest, longestLine }: ProgramSettings = parse(text);
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let made = 0;

  const coded = (code: string, message: string) => defineProperty(new KeptError(message), "code", { value: code, enumerable: true });
  const write = (value: unknown, what: string) => {
    const json: string | undefined = stringify(value);
    if (json !== undefined && json.length > longest)
      throw coded("too_large", `${what} has ${json.length} characters as JSON, and ${longest} are allowed. Pass less at a time.`);
    return json;
  };
  const call = (name: string, input: unknown) =>
    new KeptPromise((resolve, reject) => {
      if (made === mostCalls)
        throw coded("call_tree_full", `A program makes at most ${mostCalls} calls. Return what there is, and go on in another call.`);
      const json = write(input ?? {}, `The input of "${name}"`) ?? "null";
      made += 1;
      waiting.set(made, { resolve, reject });
      host.call(name, json);
    });

  const known: Record<string, (input: unknown) => Promise<unknown>> = Object.create(null);
  for (const name of names) known[name] = (input) => call(name, input);
  const tools = new Proxy(freeze(known), {
    get(target, key) {
      // Names that the language asks an object for are no names of tools that are missing.
      if (typeof key === "symbol" || hasOwn(target, key) || key === "then" || key === "toJSON") return target[key as string];
      return () =>
        KeptPromise.reject(
          coded("tool_not_found", `There is no tool "${key.slice(0, 100)}" here. Object.keys(tools) lists those that there are.`),
        );
    },
  });

  const show = (value: unknown): string => {
    try {
      if (value instanceof KeptError) return `${value.name}: ${value.message}`;
      return typeof value === "string" ? value : (stringify(value) ?? String(value));
    } catch {
      return "[a value that cannot be shown]";
    }
  };
  const log = (...values: unknown[]) => host.log(values.map(show).join(" ").slice(0, longestLine));

  defineProperty(globalThis, "tools", { value: tools });
  defineProperty(globalThis, "console", { value: freeze({ log, info: log, warn: log, error: log, debug: log }) });

  return {
    answer(id, answered) {
      const { resolve, reject } = waiting.get(id) as { resolve(value: unknown): void; reject(error: unknown): void };
      waiting.delete(id);
      const answer: ProgramAnswer = parse(answered);
      if (answer.isDone) resolve(answer.value);
      else reject(coded(answer.code, answer.message));
    },
    write: (result) => write(result, "The result"),
    describe(thrown) {
      if (!(thrown instanceof KeptError)) return show(thrown).slice(0, longestLine);
      const line = /program\.js:(\d+)/.exec(String(thrown.stack))?.[1];
      return `${show(thrown).slice(0, longestLine)}${line === undefined ? "" : ` (line ${line})`}`;
    },
  };
}
