import type { z } from "zod";
import type { JsonObject } from "../contract/json.ts";
import { nearestName } from "../contract/nearest-name.ts";
import type { SchemaIssue } from "./compiled-schema.ts";
import { toPointer } from "./json-pointer.ts";
import { nodesAt, propertiesOf } from "./schema-node.ts";

/** More than anybody reads; describing each costs, and a hostile input can have tens of thousands. */
const maxIssues = 50;

/** Turns Zod's issues into ours: one for each place, in the words of the union branch that came closest, with the member's description. */
export function listIssues(issues: readonly z.core.$ZodIssue[], json: JsonObject): SchemaIssue[] {
  const placed = issues.slice(0, maxIssues + 1).flatMap((issue) => expandIssue(issue, []));
  const listed = placed.slice(0, maxIssues).map((issue) => describeIssue(issue, json));
  return placed.length > maxIssues ? [...listed, { path: "", message: "more is wrong than is listed here." }] : listed;
}

interface PlacedIssue {
  readonly issue: z.core.$ZodIssue;
  readonly path: readonly PropertyKey[];
  /** The member that nothing names, when that is the issue. */
  readonly unknown?: string;
}

function expandIssue(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): PlacedIssue[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") return issue.keys.slice(0, maxIssues + 1).map((unknown) => ({ issue, path, unknown }));
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
  return [{ issue: { ...issue, message, errors: [] }, path }];
}

function describeIssue({ issue, path, unknown }: PlacedIssue, json: JsonObject): SchemaIssue {
  if (unknown !== undefined) return explainUnknown(unknown, path, json);
  const description = nodesAt(json, path).find((node) => typeof node.description === "string")?.description;
  const about = path.length > 0 && typeof description === "string" ? ` ${endSentence(clip(description))}` : "";
  return { path: toPointer(path), message: `${endSentence(issue.message)}${suggest(issue)}${about}` };
}

function suggest(issue: z.core.$ZodIssue): string {
  if (issue.code !== "invalid_value" || typeof issue.input !== "string") return "";
  const texts = issue.values.filter((value) => typeof value === "string");
  const nearest = nearestName(issue.input, texts);
  return nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
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
