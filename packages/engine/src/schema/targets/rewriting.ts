import { canonicalJson, type Json, type JsonObject } from "../../contract/json.ts";
import { branchesOf, type SchemaPath, typesOf } from "../schema-node.ts";
import type { Dialect } from "./dialect.ts";
import { type Form, formOfText } from "./form.ts";
import { describe, type Run, sayRefused } from "./say.ts";

/** A schema in the words of a target, and how its values are written there. */
export interface Rewritten {
  readonly schema: JsonObject;
  readonly form: Form;
}

export interface Rewriting extends Run {
  readonly dialect: Dialect & { readonly keywords: ReadonlySet<string> };
  /** The definitions, and the forms of those that are written. */
  readonly parts: Readonly<Record<string, JsonObject>>;
  readonly forms: Map<string, Form>;
  /** Definitions that are being written in place. */
  readonly inside: ReadonlySet<string>;
  /** Rewrites a part of the schema. */
  rewrite(node: JsonObject, path: SchemaPath): Rewritten;
}

/** Drops what the dialect does not know, and says null as it does. */
export function finish(node: JsonObject, path: SchemaPath, run: Rewriting): JsonObject {
  const { keywords, accepts = () => true, nullable } = run.dialect;
  const known = sayRefused(node, path, run, (keyword, value) => keywords.has(keyword) && accepts(keyword, value, node));
  return nullable === "keyword" ? useNullableKeyword(known) : known;
}

/** Keeps what a schema says beside its form. */
export function aboutOf({ title, description, default: fallback }: JsonObject): JsonObject {
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

/** A value that the target has no form for, as JSON text. */
export function asText(node: JsonObject, saying: string, form: () => Form): Rewritten {
  const { default: _, ...about } = aboutOf(node);
  const { description, ...rest } = describe(about, [saying]);
  return { schema: { ...rest, type: "string", description: description ?? "" }, form: formOfText(form) };
}

export function dropTwins(branches: readonly JsonObject[]): JsonObject[] {
  return [...new Map(branches.map((branch) => [canonicalJson(branch), branch])).values()];
}

/** A branch that is nothing but a union gives its own branches. */
export function spliceUnion(branch: JsonObject): JsonObject[] {
  return Object.keys(branch).join() === "anyOf" ? branchesOf(branch, "anyOf") : [branch];
}

/** OpenAPI 3.0: one type a schema, `nullable` beside it, and nothing beside `anyOf`. */
export function useNullableKeyword(node: JsonObject): JsonObject {
  const types = typesOf(node);
  const branches = branchesOf(node, "anyOf");
  if (branches.length > 0) {
    const { anyOf: _, description, ...rest } = node;
    const kept = branches.filter((branch) => branch.type !== "null");
    if (kept.length === 0) return { ...rest, ...(description !== undefined && { description }), type: "null" };
    const nullable: JsonObject = kept.length < branches.length ? { nullable: true } : {};
    const about: JsonObject = description === undefined ? {} : { description };
    const merged = kept.map((branch): JsonObject => ({ ...rest, ...about, ...branch, ...nullable }));
    return merged.length === 1 ? { ...merged[0], ...about } : { anyOf: merged };
  }
  if (!Array.isArray(node.type)) return node;
  const others = types.filter((type) => type !== "null");
  const nullable: JsonObject = others.length < types.length ? { nullable: true } : {};
  const valuesOf = (type: string): JsonObject =>
    Array.isArray(node.enum) ? { enum: node.enum.filter((value: Json) => typeof value === type) } : {};
  if (others.length === 1) return { ...node, type: others[0]!, ...valuesOf(others[0]!), ...nullable };
  return { anyOf: others.map((type) => ({ ...node, type, ...valuesOf(type), ...nullable })) };
}
