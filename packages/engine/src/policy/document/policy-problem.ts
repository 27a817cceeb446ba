import { z } from "zod";
import { nearestName } from "../../contract/nearest-name.ts";
import { visibleText } from "../../contract/visible-text.ts";
import { formatPath } from "./format-path.ts";

/** One thing that is wrong in a policy, with its place; the text says what to write instead. */
export interface PolicyProblem {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Every issue of a value under a schema; unknown members with the nearest known one. */
export function describeIssues(error: z.ZodError, schema: z.ZodType): readonly PolicyProblem[] {
  return error.issues.flatMap((issue) => describeIssue(issue, schema));
}

function describeIssue(issue: z.core.$ZodIssue, schema: z.ZodType): PolicyProblem[] {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code !== "unrecognized_keys") return [{ path, text: describeValue(issue, path, schema) }];
  const known = membersAt(schema, path);
  return issue.keys.map((key) => {
    const nearest = nearestName(key, known);
    const hint = nearest ? `did you mean ${JSON.stringify(nearest)}?` : `known are ${known.join(", ")}`;
    return { path: [...path, key], text: `${formatPath([...path, key])} is not a member (${hint})` };
  });
}

function describeValue(issue: z.core.$ZodIssue, path: PolicyProblem["path"], schema: z.ZodType): string {
  const place = visibleText(formatPath(path)) || "the document";
  const { input } = issue;
  if (input === undefined && issue.code !== "invalid_key")
    return path.length === 0 ? "the document is empty; write at least version: 1" : `${place} is missing`;
  if (input === null && path.length > 0) return `${place}: has no value; write one, or leave the member out`;
  if (issue.code === "invalid_type") {
    const known = issue.expected === "object" ? membersAt(schema, path) : [];
    const wanted =
      known.length > 0 ? `must have members (${known.join(", ")})` : (kinds.get(issue.expected) ?? `must be ${issue.expected}`);
    const remedy = issue.expected === "array" && typeof input === "string" ? `; write [${shorten(input)}]` : "";
    return `${path.length === 0 ? place : `${place}:`} ${wanted}, not ${showValue(input)}${remedy}`;
  }
  if (issue.code === "invalid_value") return `${place}: ${showValue(input)} is none of ${describeChoice(input, issue.values.map(String))}`;
  if (issue.code === "too_small" && issue.origin === "string") return `${place}: is empty`;
  if (issue.code === "too_small" && issue.origin === "array") return `${place}: is an empty list; leave the member out or name something`;
  if (issue.code === "too_small") return `${place}: ${showValue(input)} is too small; write ${issue.minimum} or more`;
  if (issue.code === "too_big") return `${place}: ${showValue(input)} is too big; write ${issue.maximum} or less`;
  const message = issue.code === "invalid_key" ? issue.issues[0]?.message : issue.message;
  return `${place}: ${showValue(issue.code === "invalid_key" ? path.at(-1) : input)} ${message}`;
}

const kinds: ReadonlyMap<string, string> = new Map([
  ["array", "must be a list"],
  ["object", "must have members"],
  ["record", "must have members"],
  ["string", "must be text"],
  ["boolean", "must be true or false"],
  ["number", "must be a number"],
  ["int", "must be a whole number"],
]);

function describeChoice(input: unknown, choices: readonly string[]): string {
  const nearest = typeof input === "string" && choices.length > 1 ? nearestName(input, choices) : undefined;
  return `${choices.join(", ")}${nearest ? ` (did you mean ${JSON.stringify(nearest)}?)` : ""}`;
}

/** As the author would know it again, in one line. */
function showValue(value: unknown): string {
  if (typeof value === "string") return visibleText(JSON.stringify(shorten(value)));
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "members" : String(value);
}

const shorten = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** Names of the members that the schema knows at a path. */
function membersAt(schema: z.ZodType, path: readonly (string | number)[]): string[] {
  let inner: unknown = schema;
  for (const part of path) inner = schemaBelow(unwrapSchema(inner), part);
  const object = unwrapSchema(inner);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

/** Undefined where the schema has nothing of that name. */
function schemaBelow(schema: unknown, part: string | number): unknown {
  if (schema instanceof z.ZodArray) return schema.element;
  return schema instanceof z.ZodObject ? schema.shape[part] : undefined;
}

function unwrapSchema(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) inner = inner.unwrap();
  return inner;
}
