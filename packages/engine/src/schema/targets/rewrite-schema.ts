import { canonicalJson, type JsonObject } from "../../contract/json.ts";
import { fitsPart } from "../fits-schema.ts";
import { fromPointer, toPointer, valueAt } from "../json-pointer.ts";
import { branchesOf, isNode, propertiesOf, type SchemaPath, typesOf } from "../schema-node.ts";
import { asIs, type Form, formOfUnion } from "./form.ts";
import { rewriteList } from "./rewrite-list.ts";
import { rewriteObject } from "./rewrite-object.ts";
import { aboutOf, asText, dropTwins, finish, type Rewriting, type Rewritten, spliceUnion } from "./rewriting.ts";
import { describe, type Run, sayRefused } from "./say.ts";
import { simplify } from "./simplify.ts";

/** Rewrites a whole schema for a target that knows a part of JSON Schema. Definitions stay only where something written refers to them. */
export function rewriteSchema(schema: JsonObject, run: Run, keywords: ReadonlySet<string>): Rewritten {
  const { $defs, ...top } = schema;
  const parts = isNode($defs) ? ($defs as Readonly<Record<string, JsonObject>>) : {};
  const whole = { ...run, dialect: { ...run.dialect, keywords }, parts, referred: new Set<string>() };
  const rewriting: Rewriting = { ...whole, forms: new Map(), inside: new Map(), isOptional: false, rewrite };
  const written = rewrite(top, [], rewriting);
  const definitions = new Map<string, JsonObject>();
  // A definition can refer to further ones, which the set then goes on with.
  for (const name of rewriting.referred) {
    const inside = new Map([[name, formOfDefinition(name, rewriting)]]);
    const { schema: definition, form } = rewrite(parts[name] ?? {}, ["$defs", name], { ...rewriting, inside });
    rewriting.forms.set(name, form);
    definitions.set(name, definition);
  }
  if (definitions.size === 0) return written;
  const inOrder = Object.keys(parts).flatMap((name) => (definitions.has(name) ? [[name, definitions.get(name)!] as const] : []));
  return { schema: { ...written.schema, $defs: Object.fromEntries(inOrder) }, form: written.form };
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
  const { recursion } = run.dialect;
  if (recursion === "anywhere" || (recursion === "optional" && run.isOptional)) {
    run.referred.add(name);
    // OpenAI: "$ref cannot have keywords {'description'}".
    const isAlone = Object.keys(rest).length === 0;
    const schema: JsonObject = isAlone ? { $ref: String($ref) } : { ...aboutOf(rest), anyOf: [{ $ref: String($ref) }] };
    return { schema, form: formOfDefinition(name, run) };
  }
  const outer = run.inside.get(name);
  if (!outer) return rewriteInPlace(name, rest, { path, run });
  const place = toPointer(path);
  const reason =
    recursion === "optional"
      ? "A schema can contain itself only in a member that is not required: the inner value is asked for as JSON text."
      : "A schema cannot contain itself: the inner value is asked for as JSON text.";
  run.losses.push({ path: place, keyword: "$ref", reason, goesTo: "description" });
  run.rewrites.push({ path: place, form: "text", reason: "JSON text is read as the value." });
  return asText(rest, "as JSON text, of the same form as the value that contains it", () => outer);
}

function rewriteInPlace(name: string, rest: JsonObject, { path, run }: { path: SchemaPath; run: Rewriting }): Rewritten {
  let form = asIs;
  const inside = new Map(run.inside).set(
    name,
    lazily(() => form),
  );
  const whole = rewrite({ ...run.parts[name], ...rest }, path, { ...run, inside });
  form = whole.form;
  return whole;
}

function formOfDefinition(name: string, { forms }: Pick<Rewriting, "forms">): Form {
  return lazily(() => forms.get(name) ?? asIs);
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
  const [losses, rewrites] = [run.losses.length, run.rewrites.length];
  const written = branches.map((branch, index) => rewrite(branch, [...path, "anyOf", index], run));
  if (isAmbiguous(branches, written, run)) {
    run.losses.length = losses;
    run.rewrites.length = rewrites;
    const { anyOf, ...rest } = node;
    return rewriteUntyped(describe(rest, [`anyOf: ${canonicalJson(anyOf ?? [])}`]), path, run);
  }
  const kinds = dropTwins(written.flatMap(({ schema }) => spliceUnion(schema)));
  const anyOf = run.dialect.distinctLeads ? leadApart(kinds) : kinds;
  const form = formOfUnion(
    written.map(({ schema, form: each }, index) => ({
      form: each,
      fits: (value) => fitsPart(branches[index]!, value, run.root),
      accepts: (value) => fitsPart(schema, value, run.root),
    })),
  );
  return { schema: finish({ ...node, anyOf }, path, run), form };
}

/** Orders the members of a union's objects so that no two begin with the same member: a constant first, where two would. */
function leadApart(branches: readonly JsonObject[]): JsonObject[] {
  const leads = new Set<string>();
  return branches.map((branch) => {
    const members = propertiesOf(branch);
    const [first, ...others] = members;
    if (!first) return branch;
    const byConstant = others.toSorted(([, left], [, right]) => Number(isConstant(right)) - Number(isConstant(left)));
    const lead = [first, ...byConstant].find((member) => !leads.has(canonicalJson(member))) ?? first;
    leads.add(canonicalJson(lead));
    return { ...branch, properties: Object.fromEntries([lead, ...members.filter((member) => member !== lead)]) };
  });
}

const isConstant = (node: JsonObject) => node.const !== undefined || node.enum !== undefined;

/** Whether a value that one branch writes in another form may be taken for a value of another branch: a record as pairs beside a list, JSON text beside text. */
function isAmbiguous(branches: readonly JsonObject[], written: readonly Rewritten[], { root }: Rewriting): boolean {
  const kinds = written.map(({ schema }) => kindsOf(schema, root, 0));
  return branches.some((branch, index) => {
    const own = kindsOf(branch, root, 0);
    const changed = written[index]!.form.isText ? ["string"] : [...kinds[index]!].filter((kind) => !own.has(kind));
    return changed.some((kind) => kinds.some((others, other) => other !== index && others.has(kind)));
  });
}

function kindsOf(node: JsonObject, root: JsonObject, depth: number): ReadonlySet<string> {
  if (depth > 8) return new Set();
  const parts = [...branchesOf(node, "anyOf"), ...branchesOf(node, "oneOf"), ...branchesOf(node, "allOf")];
  const target = typeof node.$ref === "string" ? valueAt(root, fromPointer(node.$ref)) : undefined;
  if (isNode(target)) parts.push(target);
  return new Set([
    ...typesOf(node).map((type) => (type === "integer" ? "number" : type)),
    ...parts.flatMap((part) => [...kindsOf(part, root, depth + 1)]),
  ]);
}
