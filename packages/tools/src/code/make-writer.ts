interface ProgramWriter {
  /** An error that programs tell from others. */
  coded(code: string, message: string): Error;
  /** A value in JSON, called `what` where it is refused; undefined for one that is no value. Throws where JSON cannot hold it, or it is too long. */
  write(value: unknown, what: string): string | undefined;
  /** A line for the log. */
  show(value: unknown): string;
}

export type MakeWriter = (longest: number) => ProgramWriter;

/**
 * What a program's values look like outside: maps as pairs, sets as lists, errors with what they say, of which JSON itself makes `{}`. Its text is
 * evaluated inside the program's engine, before the program: it uses nothing outside of itself.
 */
export function makeWriter(longest: number): ProgramWriter {
  const { stringify } = JSON;
  const { hasOwn, defineProperty } = Object;
  const { Promise: KeptPromise, Error: KeptError, Map: KeptMap, Set: KeptSet, String: keptString } = globalThis;

  const coded = (code: string, message: string) => defineProperty(new KeptError(message), "code", { value: code, enumerable: true });
  const plain = (what: string) => (key: string, value: unknown) => {
    const refuse = (is: string) => {
      throw coded("not_json", `${key === "" ? `The ${what}` : `"${key}" in the ${what}`} is ${is}`);
    };
    if (typeof value === "bigint") refuse("a BigInt, which JSON cannot hold. Use Number(value) or String(value).");
    if (typeof value === "function" && key === "") refuse("a function, which JSON cannot hold. Call it.");
    if (value instanceof KeptPromise) refuse("a promise. Await it first, and many with `await Promise.all(promises)`.");
    if (value instanceof KeptMap || value instanceof KeptSet) return [...value];
    if (value instanceof KeptError) return { ...value, name: value.name, message: value.message };
    return value;
  };
  const stringifyPlain = (value: unknown, what: string): string | undefined => {
    try {
      return stringify(value, plain(what));
    } catch (error) {
      const isCycle = error instanceof KeptError && error.message === "circular reference";
      throw isCycle ? coded("not_json", `The ${what} refers to itself, which JSON cannot hold.`) : error;
    }
  };
  return {
    coded,
    write(value, what) {
      const json = stringifyPlain(value, what);
      if (json !== undefined && json.length > longest)
        throw coded("too_large", `The ${what} has ${json.length} characters as JSON, and ${longest} are allowed. Pass less at a time.`);
      return json;
    },
    show(value) {
      try {
        const code = value instanceof KeptError && hasOwn(value, "code") ? ` [${(value as { code?: unknown }).code}]` : "";
        if (value instanceof KeptError) return `${value.name}${code}: ${value.message}`;
        if (typeof value === "object" && value !== null) return stringifyPlain(value, "value") ?? keptString(value);
        return typeof value === "bigint" ? `${value}n` : keptString(value);
      } catch {
        return "[a value that cannot be shown]";
      }
    },
  };
}
