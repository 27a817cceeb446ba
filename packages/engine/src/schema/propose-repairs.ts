import type { z } from "zod";
import { canonicalJson, type JsonObject } from "../contract/json.ts";
import { nameType } from "./explain-issue.ts";
import { toPointer, valueAt } from "./json-pointer.ts";
import { refuseOversized } from "./measure-input.ts";
import { type Edit, readContainer, readNumber } from "./repair.ts";
import { isNode, nodesAt, propertiesOf, requiredOf } from "./schema-node.ts";

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
export function proposeRepairs(issues: readonly z.core.$ZodIssue[], attempt: Attempt): Edit[] {
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
  return found && [{ path, replacement: { value: found.value }, what: `read the text as ${found.kind}` }];
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
  const places = keys.map((key) => [...path, key]);
  if (!keys.every((key) => known.has(key)) || !places.every((place) => valueAt(value, place) === null)) return undefined;
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
