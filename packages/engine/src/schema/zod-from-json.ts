import { z } from "zod";
import { isPlainObject, type JsonObject } from "../contract/json.ts";
import { holdRules } from "./hold-rules.ts";
import { type LinearPattern, linearPattern } from "./linear-pattern.ts";

/**
 * Converts a JSON Schema to a Zod schema whose patterns take linear time, wherever they stand. Throws an `Error` that names a pattern which cannot be
 * held like that, or what else Zod cannot enforce.
 */
export function zodFromJson(schema: JsonObject): z.ZodType {
  return convert(holdRules(schema, (rules, value) => zodFromJson(rules).safeParse(value).success));
}

function convert(schema: JsonObject): z.ZodType {
  refuseHidden(schema);
  const converted = z.fromJSONSchema(schema);
  holdPatterns(converted, new Set());
  return converted;
}

/** Zod holds some rules by a step before the schema, which gives the value on as it is. */
const guards = new WeakSet<z.core.$ZodType>();

/** Whether a transform comes from a rule such as `uniqueItems`, and changes nothing. */
export const isGuard = (schema: z.core.$ZodType): boolean => guards.has(schema);

/** Keywords whose schemas Zod keeps in functions, where nobody reaches their patterns. */
const hiding = ["propertyNames", "contains"];

function refuseHidden(schema: JsonObject): void {
  if (![...nodesIn(schema)].some(hasPattern)) return;
  for (const node of nodesIn(schema))
    for (const keyword of hiding)
      if ([...nodesIn(node[keyword])].some((inner) => hasPattern(inner) || typeof inner.$ref === "string"))
        throw new Error(`a pattern or reference below "${keyword}" cannot be held. Write it below "patternProperties" or "items".`);
}

const hasPattern = ({ pattern, patternProperties }: Readonly<Record<string, unknown>>) =>
  typeof pattern === "string" || isPlainObject(patternProperties);

/** All objects within a value, itself included: a few of them may be no schemas. */
function* nodesIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  const pending: unknown[] = [value];
  for (let next = pending.pop(); pending.length > 0 || next !== undefined; next = pending.pop()) {
    if (isPlainObject(next)) yield next;
    if (typeof next === "object" && next !== null) for (const child of Object.values(next)) pending.push(child);
  }
}

/** Puts linear patterns in the place of native ones. The schema was just made, and nobody else has it. */
function holdPatterns(schema: z.core.$ZodType, seen: Set<z.core.$ZodType>): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  // JSON Schema has no transforms of its own.
  if (def.type === "transform") guards.add(schema);
  if (def.type === "intersection") holdBoth(schema, def);
  for (const child of childrenOf(def)) holdPatterns(child, seen);
  for (const check of def.checks ?? []) {
    if (check instanceof z.core.$ZodCheckRegex) check._zod.def.pattern = new HeldExpression(check._zod.def.pattern.source);
    else if (check._zod.def.check === "custom" && def.type !== "transform") check._zod.check = refuseOthers(schema);
  }
}

/** What Zod asks of an object whose patterns name all members that its properties do not. */
function refuseOthers(schema: z.core.$ZodType): (payload: z.core.ParsePayload) => void {
  const parts = partsOf(schema);
  const names = new Set(parts.flatMap((part) => (part instanceof z.core.$ZodObject ? Object.keys(part._zod.def.shape) : [])));
  const patterns = parts.flatMap((part) => (part instanceof z.core.$ZodRecord ? expressionsOf(part._zod.def.keyType) : []));
  return ({ value, issues }) => {
    if (!isPlainObject(value)) return;
    const keys = Object.keys(value).filter((key) => !names.has(key) && !patterns.some((pattern) => pattern.test(key)));
    if (keys.length > 0) issues.push({ code: "unrecognized_keys", keys, input: value, inst: schema });
  };
}

/**
 * Makes a value be valid by both sides, as JSON Schema means it: Zod takes a member that one of two closed objects refuses, and its way to join the two
 * values takes the square of their members.
 */
function holdBoth(schema: z.core.$ZodType, { left, right, checks }: z.core.$ZodIntersectionDef): void {
  schema._zod.parse = (payload, context) => {
    const [first, second] = [left, right].map(
      (side) => side._zod.run({ value: payload.value, issues: [] }, context) as z.core.ParsePayload,
    );
    payload.issues.push(...(first?.issues ?? []), ...(second?.issues ?? []));
    if (payload.issues.length === 0) payload.value = joinValues(first?.value, second?.value);
    return payload;
  };
  if (!checks?.length) schema._zod.run = schema._zod.parse;
}

/** Two readings of one value, which differ in the defaults that they add. */
function joinValues(left: unknown, right: unknown): unknown {
  if (Array.isArray(left) && Array.isArray(right)) return left.map((item, index) => joinValues(item, right[index]));
  if (!isPlainObject(left) || !isPlainObject(right)) return left === undefined ? right : left;
  const joined = new Map<string, unknown>(Object.entries(left));
  for (const [name, value] of Object.entries(right)) joined.set(name, joinValues(joined.get(name), value));
  return Object.fromEntries(joined);
}

const partsOf = (schema: z.core.$ZodType): readonly z.core.$ZodType[] =>
  schema instanceof z.core.$ZodIntersection ? [...partsOf(schema._zod.def.left), ...partsOf(schema._zod.def.right)] : [schema];

const expressionsOf = (schema: z.core.$ZodType): readonly RegExp[] =>
  (schema._zod.def.checks ?? []).flatMap((check) => (check instanceof z.core.$ZodCheckRegex ? [check._zod.def.pattern] : []));

function childrenOf(def: z.core.$ZodTypes["_zod"]["def"]): readonly z.core.$ZodType[] {
  switch (def.type) {
    case "object":
      return [...Object.values(def.shape), ...(def.catchall ? [def.catchall] : [])];
    case "array":
      return [def.element];
    case "tuple":
      return [...def.items, ...(def.rest ? [def.rest] : [])];
    case "record":
      return [def.keyType, def.valueType];
    case "union":
      return def.options;
    case "intersection":
      return [def.left, def.right];
    case "optional":
    case "nullable":
    case "default":
    case "readonly":
      return [def.innerType];
    case "pipe":
      return [def.in, def.out];
    case "lazy":
      return [def.getter()];
    default:
      return [];
  }
}

/** A regular expression to read and to test with, which never runs on an engine that goes back. */
class HeldExpression extends RegExp {
  readonly #held: LinearPattern;

  constructor(source: string) {
    super(source);
    this.#held = hold(source);
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
