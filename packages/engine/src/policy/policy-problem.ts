import { z } from "zod";
import { nearestName } from "../contract/nearest-name.ts";

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
  if (issue.code !== "unrecognized_keys") return [{ path, text: `${formatPath(path) || "the document"}: ${issue.message}` }];
  const known = membersAt(schema, path);
  return issue.keys.map((key) => {
    const nearest = nearestName(key, known);
    const hint = nearest ? `did you mean ${JSON.stringify(nearest)}?` : `known are ${known.join(", ")}`;
    return { path: [...path, key], text: `${formatPath([...path, key])} is not a member (${hint})` };
  });
}

/** `commands.rules[0].pattern` */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}

/** Names of the members that the schema knows at a path. */
function membersAt(schema: z.ZodType, path: readonly (string | number)[]): string[] {
  let inner: unknown = schema;
  for (const part of path)
    inner = typeof part === "number" ? (unwrapSchema(inner) as z.ZodArray).element : (unwrapSchema(inner) as z.ZodObject).shape[part];
  const object = unwrapSchema(inner);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function unwrapSchema(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) inner = inner.unwrap();
  return inner;
}
