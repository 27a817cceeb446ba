import { canonicalJson, type JsonObject } from "../contract/json.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { enumOf, literalsOf, normalizeJson } from "./normalize-json.ts";
import { branchesOf, propertiesOf, requiredOf, typesOf } from "./schema-node.ts";

/**
 * Turns a union of objects at the top, which Anthropic and OpenAI refuse, into one object that accepts whatever the union
 * accepts: merged members, the discriminator as an enum, and the lost "exactly these together" as text.
 * Undefined when a branch is not an object.
 */
export function flattenRoot(root: JsonObject): JsonObject | undefined {
  const branches = rootBranches(root);
  if (!branches) return undefined;
  if (branches[0] === root) return root;
  const { anyOf: _, oneOf: __, description, ...rest } = root;
  const first = branches[0]!;
  const required = requiredOf(first).filter((name) => branches.every((branch) => requiredOf(branch).includes(name)));
  const closed = branches.every((branch) => branch.additionalProperties === false);
  const choice = `Give the members of exactly one of these:\n${branches.map((branch) => `- ${summarize(branch)}`).join("\n")}`;
  return {
    ...rest,
    type: "object",
    description: typeof description === "string" ? `${description}\n${choice}` : choice,
    properties: mergeProperties(branches),
    required,
    ...(closed ? { additionalProperties: false } : {}),
  };
}

/** The objects that a schema is a choice of, each with what stands beside the choice; undefined when one of them is not an object. */
export function rootBranches(node: JsonObject): JsonObject[] | undefined {
  const { anyOf: _, oneOf: __, title: ___, description: ____, $defs: _____, ...beside } = node;
  const options = [...branchesOf(node, "anyOf"), ...branchesOf(node, "oneOf")];
  if (options.length === 0) return typesOf(node).includes("object") ? [node] : undefined;
  const nested = options.map((option) => rootBranches(mergeSchemas(beside, option) ?? option));
  return nested.every((branches) => branches !== undefined) ? nested.flat() : undefined;
}

function mergeProperties(branches: readonly JsonObject[]): JsonObject {
  const found = new Map<string, JsonObject[]>();
  for (const [name, schema] of branches.flatMap(propertiesOf)) {
    const variants = found.get(name) ?? [];
    found.set(name, variants);
    if (!variants.some((variant) => canonicalJson(variant) === canonicalJson(schema))) variants.push(schema);
  }
  return Object.fromEntries([...found].map(([name, variants]) => [name, mergeVariants(variants)]));
}

function mergeVariants(variants: readonly JsonObject[]): JsonObject {
  if (variants.length === 1) return variants[0]!;
  const described = variants.find((variant) => typeof variant.description === "string")?.description;
  const literals = variants.map((variant) => literalsOf(withoutDescription(variant)));
  if (!literals.every((values) => values !== undefined)) return normalizeJson({ anyOf: variants });
  const merged = enumOf(literals.flat());
  return described === undefined ? merged : { ...merged, description: described };
}

function withoutDescription({ description: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

function summarize(branch: JsonObject): string {
  const required = new Set(requiredOf(branch));
  const parts = propertiesOf(branch).map(([name, schema]) => {
    const values = literalsOf(withoutDescription(schema));
    const text = values && required.has(name) ? `${name} = ${values.map((value) => JSON.stringify(value)).join(" or ")}` : name;
    return required.has(name) ? text : `${text} (optional)`;
  });
  const members = parts.join(", ") || "no members";
  return typeof branch.description === "string" ? `${members}: ${branch.description}` : members;
}
