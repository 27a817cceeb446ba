import { z } from "zod";
import { isPlainObject, type JsonObject } from "../contract/json.ts";
import { type LinearPattern, linearPattern } from "./linear-pattern.ts";

/**
 * Converts a JSON Schema to a Zod schema whose patterns take linear time, wherever they stand. Throws an `Error` that names a pattern which cannot be
 * held like that, or what else Zod cannot enforce.
 */
export function zodFromJson(schema: JsonObject): z.ZodType {
  const patterns = new Map([...patternsOf(schema)].map((source) => [source, hold(source)]));
  if (patterns.size === 0) return z.fromJSONSchema(schema);
  const native = globalThis.RegExp;
  // Zod keeps some of its expressions where nobody reaches them later: they are the right ones only if they are made so. Nothing else runs meanwhile.
  globalThis.RegExp = new Proxy(native, {
    construct(target, [source, flags]: [string | RegExp, string?], made) {
      const held = typeof source === "string" && flags === undefined ? patterns.get(source) : undefined;
      return held ? new HeldExpression(held) : (Reflect.construct(target, [source, flags], made) as object);
    },
  });
  try {
    return z.fromJSONSchema(schema);
  } finally {
    globalThis.RegExp = native;
  }
}

/** A regular expression to read and to test with, which never runs on an engine that goes back. */
class HeldExpression extends RegExp {
  readonly #held: LinearPattern;

  constructor(held: LinearPattern) {
    super(held.source);
    this.#held = held;
  }

  override test(text: string): boolean {
    return this.#held.test(text);
  }
}

function hold(source: string): LinearPattern {
  const held = linearPattern(source);
  if ("problem" in held) throw new Error(`the pattern ${JSON.stringify(source.slice(0, 200))} ${held.problem}. ${held.fix}`);
  return held;
}

/** The patterns of a schema. Where one stands in a value, such as a default, it is held, too. */
function* patternsOf(value: unknown): Generator<string> {
  const pending: unknown[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) pending.push(...next);
    if (!isPlainObject(next)) continue;
    if (typeof next.pattern === "string") yield next.pattern;
    if (isPlainObject(next.patternProperties)) yield* Object.keys(next.patternProperties);
    pending.push(...Object.values(next));
  }
}
