import type { JsonObject } from "../../contract/json.ts";
import { fitsPart } from "../fits-schema.ts";
import { toPointer } from "../json-pointer.ts";
import { branchesOf, isNode, type SchemaPath, typesOf } from "../schema-node.ts";
import { asIs, type Form, formOfUnion } from "./form.ts";
import { rewriteList } from "./rewrite-list.ts";
import { rewriteObject } from "./rewrite-object.ts";
import { aboutOf, asText, dropTwins, finish, type Rewriting, type Rewritten, spliceUnion } from "./rewriting.ts";
import { type Run, sayRefused } from "./say.ts";
import { simplify } from "./simplify.ts";

/** Rewrites a whole schema for a target that knows a part of JSON Schema. Definitions stay only where the target knows references. */
export function rewriteSchema(schema: JsonObject, run: Run, keywords: ReadonlySet<string>): Rewritten {
  const { $defs, ...top } = schema;
  const parts = isNode($defs) ? ($defs as Readonly<Record<string, JsonObject>>) : {};
  const rewriting = begin({ ...run, dialect: { ...run.dialect, keywords }, parts, forms: new Map(), inside: new Set() });
  const written = rewriting.rewrite(top, []);
  if (!run.dialect.recursion || $defs === undefined) return written;
  const definitions = Object.entries(parts).map(([name, node]) => {
    const { schema: definition, form } = rewriting.rewrite(node, ["$defs", name]);
    rewriting.forms.set(name, form);
    return [name, definition] as const;
  });
  return { schema: { ...written.schema, $defs: Object.fromEntries(definitions) }, form: written.form };
}

function begin(parts: Omit<Rewriting, "rewrite">): Rewriting {
  const rewriting: Rewriting = { ...parts, rewrite: (node, path) => rewrite(node, path, rewriting) };
  return rewriting;
}

/** Rewrites a schema, and everything below it, for a target that knows a part of JSON Schema. */
function rewrite(node: JsonObject, path: SchemaPath, run: Rewriting): Rewritten {
  if (typeof node.$ref === "string") return rewriteReference(node, path, run);
  const plain = simplify(node, path, run);
  if (isUntyped(plain) || branchesOf(plain, "anyOf").some(isUntyped)) return rewriteUntyped(plain, path, run);
  if (plain.anyOf !== undefined) return rewriteUnion(plain, path, run);
  const types = typesOf(plain);
  if (types.includes("object")) return rewriteObject(plain, path, run);
  if (types.includes("array")) return rewriteList(plain, path, run);
  return { schema: finish(plain, path, run), form: asIs };
}

function rewriteReference(node: JsonObject, path: SchemaPath, run: Rewriting): Rewritten {
  const { $ref, ...rest } = node;
  const name = String($ref).slice("#/$defs/".length);
  const form = lazily(() => run.forms.get(name) ?? asIs);
  if (run.dialect.recursion) {
    // OpenAI: "$ref cannot have keywords {'description'}".
    const isAlone = Object.keys(rest).length === 0;
    return { schema: isAlone ? { $ref: String($ref) } : { ...aboutOf(rest), anyOf: [{ $ref: String($ref) }] }, form };
  }
  if (!run.inside.has(name)) {
    const whole = begin({ ...run, inside: new Set(run.inside).add(name) }).rewrite({ ...run.parts[name], ...rest }, path);
    run.forms.set(name, whole.form);
    return whole;
  }
  const place = toPointer(path);
  const reason = "A schema cannot contain itself: the inner value is asked for as JSON text.";
  run.losses.push({ path: place, keyword: "$ref", reason, goesTo: "description" });
  run.rewrites.push({ path: place, form: "text", reason: "JSON text is read as the value." });
  return asText(rest, "as JSON text, of the same form as the value that contains it", () => form);
}

function lazily(form: () => Form): Form {
  return { read: (value) => form().read(value), write: (value) => form().write(value) };
}

const annotations = new Set(["title", "description", "default", "examples"]);
/** Constants and enums have the types of their values by now. */
const typing = ["type", "anyOf", "oneOf", "allOf", "$ref"];

function isUntyped(node: JsonObject): boolean {
  return typing.every((keyword) => node[keyword] === undefined);
}

function rewriteUntyped(node: JsonObject, path: SchemaPath, run: Rewriting): Rewritten {
  const place = toPointer(path);
  run.losses.push({
    path: place,
    keyword: "type",
    reason: "A value of any type cannot be said: JSON text is asked for.",
    goesTo: "description",
  });
  run.rewrites.push({ path: place, form: "text", reason: "JSON text is read as the value." });
  const { title, description, ...rest } = node;
  const others = sayRefused(
    { ...aboutOf({ ...(title !== undefined && { title }), ...(description !== undefined && { description }) }), ...rest },
    path,
    run,
    (keyword) => annotations.has(keyword),
  );
  return asText(others, "any value, as JSON text", () => asIs);
}

function rewriteUnion(node: JsonObject, path: SchemaPath, run: Rewriting): Rewritten {
  const branches = branchesOf(node, "anyOf");
  const written = branches.map((branch, index) => run.rewrite(branch, [...path, "anyOf", index]));
  const anyOf = dropTwins(written.flatMap(({ schema }) => spliceUnion(schema)));
  const form = formOfUnion(
    written.map(({ form: each }, index) => ({ form: each, fits: (value) => fitsPart(branches[index]!, value, run.root) })),
  );
  return { schema: finish({ ...node, anyOf }, path, run), form };
}
