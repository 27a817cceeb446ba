/** A value that JSON can carry without loss. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
/** A JSON object: text keys, JSON values. */
export type JsonObject = { readonly [key: string]: Json };

/** A type whose values are JSON, member by member: TypeScript takes no interface for `Json`. Members that are `undefined` are dropped. */
export type JsonShape<Value> = Value extends Json | undefined
  ? Value
  : Value extends (...given: never) => unknown
    ? never
    : Value extends object
      ? { readonly [Name in keyof Value]: JsonShape<Value[Name]> }
      : never;

/** The value itself, as the JSON that its type says it is. */
export function asJson<Value>(value: Value & JsonShape<Value>): Json {
  return value as Json;
}

/** True for objects written as `{}`: not arrays, dates, maps or class instances. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Says why a value is not JSON, with the place, or returns undefined when it is. `undefined` members are allowed and dropped. */
export function findNonJson(value: unknown, maxDepth = 256): { path: string; problem: string } | undefined {
  return isJson(value, maxDepth) ? undefined : visit(value, "", { ancestors: new Set(), maxDepth });
}

/** The answer for nearly every value, without a place for each of its parts. A cycle passes the depth. `undefined` members are allowed and dropped. */
export function isJson(value: unknown, depthLeft = 256): value is Json {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depthLeft <= 0) return false;
  if (Array.isArray(value)) {
    // Not with `every`, which passes over holes.
    for (let index = 0; index < value.length; index++) if (!isJson(value[index], depthLeft - 1)) return false;
    return true;
  }
  if (!isPlainObject(value)) return false;
  for (const key of Object.keys(value)) if (value[key] !== undefined && !isJson(value[key], depthLeft - 1)) return false;
  return true;
}

interface Visit {
  readonly ancestors: Set<object>;
  readonly maxDepth: number;
}

function visit(value: unknown, path: string, state: Visit): { path: string; problem: string } | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : { path: path || "/", problem: `${value} is not a JSON number` };
    case "object":
      return value === null ? undefined : visitObject(value, path, state);
    default:
      return { path: path || "/", problem: `a ${typeof value} is not JSON` };
  }
}

function visitObject(value: object, path: string, state: Visit): { path: string; problem: string } | undefined {
  if (state.ancestors.has(value)) return { path: path || "/", problem: "a cycle: the value contains itself" };
  if (state.ancestors.size >= state.maxDepth) return { path, problem: `nested deeper than ${state.maxDepth} levels` };
  if (!Array.isArray(value) && !isPlainObject(value))
    return { path: path || "/", problem: `a ${value.constructor?.name ?? "class"} object is not JSON` };
  state.ancestors.add(value);
  const entries: Iterable<[string | number, unknown]> = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, item] of entries) {
    if (item === undefined && !Array.isArray(value)) continue;
    const found = visit(item, `${path}/${key}`, state);
    if (found) return found;
  }
  state.ancestors.delete(value);
  return undefined;
}

/** The JSON pointer of the first text that no store can hold, a member's name included: one with a NUL character or a lone surrogate. */
export function findBrokenText(value: Json, path = ""): string | undefined {
  if (typeof value === "string") return isWhole(value) ? undefined : path || "/";
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = isWhole(key) ? findBrokenText(item, `${path}/${key}`) : path || "/";
    if (found !== undefined) return found;
  }
  return undefined;
}

const isWhole = (text: string) => !text.includes("\u0000") && text.isWellFormed();

/** The value with U+FFFD in the place of each half of a surrogate pair, which JSON carries and few readers take. The same value where there is none. */
export function wellFormed<Value>(value: Value): Value {
  if (typeof value === "string") return (value.isWellFormed() ? value : value.toWellFormed()) as Value;
  if (Array.isArray(value)) {
    const items = value.map(wellFormed);
    return items.every((item, index) => item === value[index]) ? value : (items as Value);
  }
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value);
  const written = members.map(([name, item]) => [wellFormed(name), wellFormed(item)] as const);
  const isSame = written.every(([name, item], index) => name === members[index]?.[0] && item === members[index]?.[1]);
  return isSame ? value : (Object.fromEntries(written) as Value);
}

/** Serialises a value for a model, without half surrogate pairs. `text`: what `JSON.stringify` gave. */
export function wellFormedJson(value: Json, text = JSON.stringify(value)): string {
  return text.includes("\\ud") ? JSON.stringify(wellFormed(value)) : text;
}

/** Serialises with object keys in code-unit order, so that equal values give equal text (RFC 8785 in shape; numbers as JSON.stringify prints them). */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = value as Readonly<Record<string, unknown>>;
  // One text that grows: it is part of every event, and takes two thirds of what lists of keys and parts do.
  let text = "";
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/**
 * A copy as JSON carries the value, which is what `JSON.parse(JSON.stringify(value))` gives, without the text in between. `write` gives what stands
 * for an object that JSON has no form for; undefined for any other.
 */
export function copyJson(value: unknown, write?: (value: object) => Json | undefined): Json | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // JSON has no negative zero.
      return Number.isFinite(value) ? value + 0 : null;
    case "object":
      return value === null ? null : (write?.(value) ?? copyObject(value, write));
    case "bigint":
      throw new TypeError("A BigInt is no JSON.");
    default:
      return undefined;
  }
}

function copyObject(value: object, write: Parameters<typeof copyJson>[1]): Json | undefined {
  if ("toJSON" in value && typeof value.toJSON === "function") return copyJson(value.toJSON(), write);
  if (Array.isArray(value)) return Array.from(value, (item) => copyJson(item, write) ?? null);
  const members = value as Readonly<Record<string, unknown>>;
  const made: Record<string, Json> = {};
  for (const key of Object.keys(members)) {
    const member = copyJson(members[key], write);
    if (member === undefined) continue;
    // A plain assignment would set the prototype.
    if (key === "__proto__") Object.defineProperty(made, key, { value: member, enumerable: true, configurable: true, writable: true });
    else made[key] = member;
  }
  return made;
}
