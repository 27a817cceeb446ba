import { canonicalJson, type JsonObject } from "../../contract/json.ts";
import { branchesOf, type SchemaPath } from "../schema-node.ts";
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
  /** The definitions, and the names of those that something written refers to. */
  readonly parts: Readonly<Record<string, JsonObject>>;
  readonly referred: Set<string>;
  /** The forms of the definitions that are written as such, once they are. */
  readonly forms: Map<string, Form>;
  /** Definitions that this is a part of, and how a value of each is written there. */
  readonly inside: ReadonlyMap<string, Form>;
  /** True below a member that is not required. */
  readonly isOptional: boolean;
  /** Rewrites a part of the schema. */
  rewrite(node: JsonObject, path: SchemaPath, run: Rewriting): Rewritten;
}

/** Drops what the dialect does not know. */
export function finish(node: JsonObject, path: SchemaPath, run: Rewriting): JsonObject {
  const { keywords, accepts = () => true } = run.dialect;
  return sayRefused(node, path, run, (keyword, value) => keywords.has(keyword) && accepts(keyword, value, node));
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
