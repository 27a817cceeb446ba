import { z } from "zod";
import { isPlainObject, type JsonObject } from "../contract/json.ts";
import { holdRules } from "./hold-rules.ts";
import { type LinearPattern, linearPattern } from "./linear-pattern.ts";

/**
 * Converts a JSON Schema to a Zod schema whose patterns take linear time, wherever they stand. Throws an `Error` that names a pattern which cannot be
 * held like that, or what else Zod cannot enforce.
 */
export function zodFromJson(schema: JsonObject): z.ZodType {
  return convert(holdRules(schema, (rules, value) => convert(rules).safeParse(value).success));
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

/** Checks of intersections that have a closed part, on copies too. */
const narrowing = new WeakSet<object>();

/** Whether an intersection has a closed part: written as one object, it would be open. */
export const isNarrower = (schema: z.core.$ZodType): boolean => (schema._zod.def.checks ?? []).some((check) => narrowing.has(check));

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
  for (const child of childrenOf(def)) holdPatterns(child, seen);
  for (const check of def.checks ?? []) {
    if (check instanceof z.core.$ZodCheckRegex) check._zod.def.pattern = new HeldExpression(check._zod.def.pattern.source);
    else if (check._zod.def.check === "custom" && def.type !== "transform") check._zod.check = refuseOthers(schema);
  }
  if (schema instanceof z.core.$ZodIntersection) holdBoth(schema);
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

/** Zod takes a member that only one side of an intersection refuses, where JSON Schema means that each side has to take it. */
function holdBoth(schema: z.core.$ZodIntersection): void {
  const { left, right, checks = [] } = schema._zod.def;
  const parse: typeof schema._zod.parse = (payload, context) => {
    const [first, second] = [left, right].map(
      (side) => side._zod.run({ value: payload.value, issues: [] }, context) as z.core.ParsePayload,
    );
    const issues = [...(first?.issues ?? []), ...(second?.issues ?? [])];
    const both = z.core.mergeValues(first?.value, second?.value);
    if (issues.length === 0 && both.valid) payload.value = both.data;
    else payload.issues.push(...(issues.length > 0 ? issues : [{ code: "custom" as const, input: payload.value, inst: schema }]));
    return payload;
  };
  schema._zod.parse = parse;
  if (checks.length === 0) schema._zod.run = parse;
  if (!hasClosed(schema, true)) return;
  // Zod runs the copies, and some of these have closed parts in the place of open ones.
  const check = z.check(({ value, issues }) => {
    if (issues.length === 0) issues.push(...(schema._zod.run({ value, issues: [] }, { async: false }) as z.core.ParsePayload).issues);
  });
  if (hasClosed(schema, false)) narrowing.add(check);
  schema._zod.def.checks = [...checks, check];
}

/** Whether a value has to be a closed object; `orMay`: or may have to be one, by one of several schemas. */
function hasClosed(schema: z.core.$ZodType, orMay: boolean, seen = new Set<z.core.$ZodType>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "object") return def.catchall?._zod.def.type === "never";
  const isChoice = def.type === "union" && def.options.length > 1;
  if (["array", "tuple", "record"].includes(def.type) || (isChoice && !orMay)) return false;
  return childrenOf(def).some((child) => hasClosed(child, orMay, seen));
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
