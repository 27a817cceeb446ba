import type { z } from "zod";
import type { Repair } from "../contract/call.ts";
import { canonicalJson, isPlainObject, type JsonObject } from "../contract/json.ts";
import type { CompiledSchema, SchemaIssue } from "./compiled-schema.ts";
import { nameType } from "./explain-issue.ts";
import { toPointer, valueAt } from "./json-pointer.ts";
import { applyEdit, type Edit, readContainer, readNumber } from "./repair.ts";
import { isNode, nodesAt, propertiesOf, requiredOf } from "./schema-node.ts";

type ParsedInput =
  | {
      readonly ok: true;
      readonly value: unknown;
      readonly repairs: readonly Repair[];
      /** The member that `asksOn` names said so. */
      readonly asks?: true;
    }
  | {
      readonly ok: false;
      readonly issues: readonly SchemaIssue[];
      /** All issues as one text, for a model or a person who will call again. */
      readonly message: string;
    };

interface ParseOptions {
  /** Other names for members at the top: `{ cmd: "command" }`. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** A member that is no part of the schema, and asks for something by being true. */
  readonly asksOn?: string | undefined;
}

const unrepaired: readonly Repair[] = Object.freeze([]);

/** JSON text inside JSON text, a few times over, is repaired; more is nobody's mistake. */
const maxRounds = 4;

/**
 * Parses an input exactly; only when that fails, tries repairs that guess nothing. The repaired input parses exactly too,
 * and every change is recorded (pain #23). The input itself is never changed.
 */
export function parseInput(schema: CompiledSchema, input: unknown, options: ParseOptions = {}): ParsedInput {
  const exact = schema.parse(input);
  if (exact.ok) return { ok: true, value: exact.value, repairs: unrepaired };
  const left = leaveOutAsking(schema, input, options.asksOn);
  const { value, repairs: further } = repair(schema, left.value, options);
  const repairs = [...left.repairs, ...further];
  const outcome = repairs.length > 0 ? schema.parse(value) : exact;
  if (outcome.ok) return { ok: true, value: outcome.value, repairs, ...(left.asks && { asks: true }) };
  return { ok: false, issues: outcome.issues, message: writeMessage(outcome.issues) };
}

function repair(schema: CompiledSchema, input: unknown, options: ParseOptions): { value: unknown; repairs: Repair[] } {
  const repairs: Repair[] = [];
  let value = input;
  for (let round = 0; round < maxRounds; round++) {
    const renamed = renameAliases(schema, value, options.aliases ?? {});
    value = renamed.value;
    const edits = proposeRepairs(issuesOf(schema, value), { value, json: schema.json });
    for (const edit of edits) value = applyEdit(value, edit);
    const made = [...renamed.repairs, ...edits.map(({ path, what }) => ({ path: toPointer(path), what }))];
    if (made.length === 0) break;
    repairs.push(...made);
  }
  return { value, repairs };
}

function leaveOutAsking(
  { json }: CompiledSchema,
  input: unknown,
  name: string | undefined,
): { value: unknown; repairs: readonly Repair[]; asks: boolean } {
  const isOwn =
    name !== undefined && isPlainObject(input) && Object.hasOwn(input, name) && !propertiesOf(json).some(([known]) => known === name);
  const said = isOwn ? input[name] : undefined;
  const asks = said === true || said === "true";
  if (!isOwn || !(asks || said === false || said === "false" || said === null)) return { value: input, repairs: unrepaired, asks: false };
  const path = [name];
  const meaning = asks ? ": only a person approves a call, so one is asked" : "";
  return { value: applyEdit(input, { path, what: "" }), repairs: [{ path: toPointer(path), what: `left out "${name}"${meaning}` }], asks };
}

function issuesOf(schema: CompiledSchema, value: unknown): readonly z.core.$ZodIssue[] {
  try {
    return schema.exact.safeParse(value).error?.issues ?? [];
  } catch {
    // A check of the tool's author threw; the last exact parse says so.
    return [];
  }
}

function renameAliases(
  schema: CompiledSchema,
  input: unknown,
  aliases: Readonly<Record<string, string>>,
): { value: unknown; repairs: Repair[] } {
  const repairs: Repair[] = [];
  if (!isPlainObject(input) || !Object.keys(aliases).some((alias) => Object.hasOwn(input, alias))) return { value: input, repairs };
  const members = new Set(propertiesOf(schema.json).map(([name]) => name));
  const entries = new Map(Object.entries(input));
  for (const [alias, member] of Object.entries(aliases)) {
    if (members.has(alias) || !entries.has(alias) || entries.has(member)) continue;
    entries.set(member, entries.get(alias));
    entries.delete(alias);
    repairs.push({ path: toPointer([member]), what: `took "${alias}" as another name for "${member}"` });
  }
  return { value: repairs.length > 0 ? Object.fromEntries(entries) : input, repairs };
}

/** All issues as one text. */
export function writeMessage(issues: readonly SchemaIssue[]): string {
  const shown = issues.slice(0, 10).map(({ path, message }) => `- ${path || "/"}: ${message}`);
  if (issues.length > shown.length) shown.push(`- and ${issues.length - shown.length} more`);
  return `The input does not fit. Correct this and call again:\n${shown.join("\n")}`;
}

/** Each repair copies the containers around it; an input with more to repair is refused instead. */
const maxRepairs = 256;

interface Attempt {
  readonly value: unknown;
  readonly json: JsonObject;
}

/**
 * The changes that issues call for and that guess nothing: text that is exactly a number, a boolean, one of the literals or a JSON
 * container, where that type is wanted; null where the member may be absent. A single value is never wrapped into a list:
 * the text "a, b" may be one item or two.
 */
function proposeRepairs(issues: readonly z.core.$ZodIssue[], attempt: Attempt): Edit[] {
  if (issues.length > maxRepairs) return [];
  const edits = new Map<string, Edit>();
  for (const edit of issues.flatMap((issue) => proposeFor(issue, [], attempt) ?? [])) edits.set(toPointer(edit.path), edit);
  return [...edits.values()];
}

function proposeFor(issue: z.core.$ZodIssue, above: readonly PropertyKey[], attempt: Attempt): Edit[] | undefined {
  const path = [...above, ...issue.path];
  const current = valueAt(attempt.value, path);
  if (issue.code === "unrecognized_keys") return dropForeignNulls(issue.keys, path, attempt);
  const wrongKind = issue.code === "invalid_type" || issue.code === "invalid_value" || issue.code === "invalid_union";
  if (wrongKind && current === null && mayBeAbsent(path, attempt.json)) return [{ path, what: "left out null: the member is optional" }];
  if (issue.code === "invalid_union") return proposeForUnion(issue.errors, path, attempt);
  if (typeof current !== "string") return undefined;
  const found =
    issue.code === "invalid_type"
      ? readAs(issue.expected, current)
      : issue.code === "invalid_value"
        ? pick(issue.values, current)
        : undefined;
  if (!found && path.length === 0) return takeWhole(current, attempt.json);
  return found && [{ path, replacement: { value: found.value }, what: `read the text as ${found.kind}` }];
}

/** Text in the place of an object is what a tool asks for that needs one text and nothing else. What begins like JSON is a broken object. */
function takeWhole(text: string, json: JsonObject): Edit[] | undefined {
  const [name, ...others] = requiredOf(json);
  const member = propertiesOf(json).find(([known]) => known === name)?.[1];
  if (name === undefined || others.length > 0 || member?.type !== "string" || /^\s*[[{]/.test(text)) return undefined;
  return [{ path: [], replacement: { value: Object.fromEntries([[name, text]]) }, what: `took the whole text as "${name}"` }];
}

/** Only when one branch, or several that agree, can be satisfied in full. */
function proposeForUnion(
  branches: readonly (readonly z.core.$ZodIssue[])[],
  path: readonly PropertyKey[],
  attempt: Attempt,
): Edit[] | undefined {
  const complete = new Map<string, Edit[]>();
  for (const issues of branches) {
    const edits = issues.map((issue) => proposeFor(issue, path, attempt));
    if (!edits.every((found) => found !== undefined)) continue;
    const flat = edits.flat();
    complete.set(canonicalJson(flat.map((edit) => [toPointer(edit.path), edit.replacement?.value ?? null])), flat);
  }
  return complete.size === 1 ? [...complete.values()][0] : undefined;
}

/** A flattened union shows every member to strict models, which then send null for those of other branches. */
function dropForeignNulls(keys: readonly string[], path: readonly PropertyKey[], { value, json }: Attempt): Edit[] | undefined {
  const known = new Set(nodesAt(json, path).flatMap((node) => propertiesOf(node).map(([name]) => name)));
  if (!keys.every((key) => known.has(key))) return undefined;
  const places = keys.map((key) => [...path, key]);
  if (!places.every((place) => valueAt(value, place) === null)) return undefined;
  return places.map((place) => ({ path: place, what: "left out null: the member does not go together with the others" }));
}

function mayBeAbsent(path: readonly PropertyKey[], json: JsonObject): boolean {
  const name = path.at(-1);
  const owners = nodesAt(json, path.slice(0, -1)).filter((node) => isNode(node.properties) && Object.hasOwn(node.properties, name ?? ""));
  return typeof name === "string" && owners.length > 0 && !owners.some((node) => requiredOf(node).includes(name));
}

interface Reading {
  readonly value: unknown;
  readonly kind: string;
}

function readAs(expected: string, text: string): Reading | undefined {
  switch (expected) {
    case "number":
    case "int":
      return reading(readNumber(text), "a number");
    case "boolean":
      return text === "true" || text === "false" ? { value: text === "true", kind: text } : undefined;
    case "object":
    case "record":
      return container(text, "object");
    case "array":
      return container(text, "array");
    default:
      return undefined;
  }
}

function container(text: string, kind: "object" | "array"): Reading | undefined {
  const value = readContainer(text, kind);
  return refuseOversized(value) === undefined ? reading(value, `the JSON of ${nameType(kind)}`) : undefined;
}

const reading = (value: unknown, kind: string) => (value === undefined ? undefined : { value, kind });

/** A literal number or boolean that was sent as its own text. */
function pick(values: readonly unknown[], text: string): Reading | undefined {
  const value = values.find((candidate) => (typeof candidate === "number" || typeof candidate === "boolean") && String(candidate) === text);
  return reading(value, `a ${typeof value}`);
}

interface InputLimits {
  /** Bytes of UTF-8 in all texts and member names. Default 4 MiB. */
  readonly maxBytes?: number;
  /** Levels of nesting. Default 64. */
  readonly maxDepth?: number;
  /** Members and items in all. Default 50 000. */
  readonly maxKeys?: number;
}

/** Members of one object of an input: each name that differs costs a parse and a check much more than an item of a list. */
const maxMembers = 10_000;

/**
 * Says in one sentence why an input is too large to look at, or returns undefined. Runs before any parse: it keeps its own
 * stack, so depth cannot overflow it, and a cycle ends at the depth limit. What is not JSON is left to the parse.
 */
export function refuseOversized(input: unknown, limits: InputLimits = {}): string | undefined {
  // A UTF-16 unit is at most three bytes of UTF-8: most inputs are far below, and need no counting.
  return measure(input, limits, atMostBytes) === undefined ? undefined : measure(input, limits, Buffer.byteLength);
}

const atMostBytes = (text: string) => text.length * 3;

function measure(
  input: unknown,
  { maxBytes = 4 * 1024 * 1024, maxDepth = 64, maxKeys = 50_000 }: InputLimits,
  bytesOf: (text: string) => number,
): string | undefined {
  const pending: object[] = [];
  const depths: number[] = [];
  let bytes = 0;
  let keys = 0;
  const take = (value: unknown, depth: number) => {
    if (typeof value === "string") bytes += bytesOf(value);
    else if (typeof value === "object" && value !== null) {
      pending.push(value);
      depths.push(depth);
    }
  };
  take(input, 0);
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const depth = depths.pop()!;
    if (depth >= maxDepth) return `The input is nested deeper than ${maxDepth} levels, or contains itself. Send a flatter value.`;
    const names = Array.isArray(value) ? undefined : Object.keys(value);
    if (names && names.length > maxMembers)
      return `An object of the input has more than ${maxMembers} members. Send a list, or smaller parts.`;
    const count = names ? names.length : (value as readonly unknown[]).length;
    keys += count;
    if (keys > maxKeys) return `The input has more than ${maxKeys} members and items. Send it in smaller parts.`;
    for (let index = 0; index < count; index++) {
      if (names) bytes += bytesOf(names[index]!);
      take((value as Record<PropertyKey, unknown>)[names ? names[index]! : index], depth + 1);
    }
    if (bytes > maxBytes) break;
  }
  if (bytes > maxBytes) return `The input holds more than ${maxBytes} bytes of text. Send it in smaller parts, or as a file.`;
  return undefined;
}
