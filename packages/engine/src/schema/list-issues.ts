import type { z } from "zod";
import type { JsonObject } from "../contract/json.ts";
import type { SchemaIssue } from "./compile-schema.ts";
import { toPointer } from "./json-pointer.ts";
import { nearestName } from "./nearest-name.ts";
import { nodesAt, propertiesOf } from "./schema-node.ts";

/** Turns Zod's issues into ours: one for each place, in the words of the union branch that came closest, with the member's description. */
export function listIssues(issues: readonly z.core.$ZodIssue[], json: JsonObject): SchemaIssue[] {
  return issues.flatMap((issue) => expandIssue(issue, [])).flatMap(({ issue, path }) => describeIssue(issue, path, json));
}

interface PlacedIssue {
  readonly issue: z.core.$ZodIssue;
  readonly path: readonly PropertyKey[];
}

function expandIssue(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): PlacedIssue[] {
  const path = [...above, ...issue.path];
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [{ issue, path }];
  const closest = issue.errors.toSorted((a, b) => distance(a) - distance(b))[0]!;
  if (closest.every(isWrongType)) return mergeBranches(issue, path);
  return closest.flatMap((inner) => expandIssue(inner, path));
}

const isWrongType = (issue: z.core.$ZodIssue) =>
  issue.path.length === 0 && (issue.code === "invalid_type" || issue.code === "invalid_value");

/** A branch of the wrong type is the furthest off; then the number of things to change counts. */
const distance = (issues: readonly z.core.$ZodIssue[]) => (issues.some(isWrongType) ? 1000 : 0) + issues.length;

/** Nothing fits by type: says all types at once. */
function mergeBranches(issue: z.core.$ZodIssueInvalidUnion, path: readonly PropertyKey[]): PlacedIssue[] {
  const sentences = [...new Set(issue.errors.flat().map((inner) => inner.message))];
  const [first, ...others] = sentences.map((sentence) => /^(expected .*), got (.*)$/s.exec(sentence) ?? [sentence, sentence, ""]);
  const got = first?.[2] ? `, got ${first[2]}` : "";
  const message = [first?.[1], ...others.map((match) => match[1]?.replace(/^expected /, ""))].join(" or ") + got;
  return [{ issue: { ...issue, message, errors: [] } as unknown as z.core.$ZodIssue, path }];
}

function describeIssue(issue: z.core.$ZodIssue, path: readonly PropertyKey[], json: JsonObject): SchemaIssue[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => explainUnknown(key, path, json));
  const description = nodesAt(json, path).find((node) => typeof node.description === "string")?.description;
  const text = path.length > 0 && typeof description === "string" ? ` ${endSentence(clip(description))}` : "";
  return [{ path: toPointer(path), message: `${endSentence(issue.message)}${text}` }];
}

function explainUnknown(key: string, path: readonly PropertyKey[], json: JsonObject): SchemaIssue {
  const members = [...new Set(nodesAt(json, path).flatMap((node) => propertiesOf(node).map(([name]) => name)))];
  const nearest = nearestName(key, members);
  const known = members.includes(key)
    ? "It does not go together with the other members: remove it."
    : nearest !== undefined
      ? `Did you mean ${JSON.stringify(nearest)}?`
      : `Members here: ${members.slice(0, 30).join(", ") || "none"}. Remove or rename it.`;
  return { path: toPointer([...path, key]), message: `unknown member. ${known}` };
}

const endSentence = (text: string) => (/[.?!…]$/.test(text) ? text : `${text}.`);
const clip = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
