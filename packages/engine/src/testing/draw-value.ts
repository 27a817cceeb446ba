import { canonicalJson, isPlainObject, type Json, type JsonObject } from "../contract/json.ts";
import { fitsSchema } from "../schema/fits-schema.ts";
import { mergeSchemas } from "../schema/merge-schemas.ts";
import { branchesOf, isNode, propertiesOf, requiredOf, typesOf } from "../schema/schema-node.ts";
import { upgradeSchema } from "../schema/upgrade-schema.ts";
import { type Draw, drawText } from "./draw-text.ts";

export type { Draw } from "./draw-text.ts";

const attempts = 24;
const deepest = 5;

/**
 * Draws a value that is valid by a JSON Schema; undefined where two dozen attempts found none. Each choice comes from `draw`, so the same choices give the
 * same value, and with all of them 0 it is the smallest: as few members and items as the schema allows.
 */
export function drawValue(schema: JsonObject, draw: Draw): Json | undefined {
  const root = upgradeSchema(schema);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const value = drawNode(root, { root, draw, depth: 0 });
    if (value !== undefined && fitsSchema(root, value)) return value;
  }
  return undefined;
}

/** Draws from a list of numbers, and 0 once they are used up: a property test shrinks the list. */
export function drawFrom(choices: readonly number[]): Draw {
  let next = 0;
  return (most) => (choices[next++] ?? 0) % (most + 1);
}

interface Drawing {
  readonly root: JsonObject;
  readonly draw: Draw;
  readonly depth: number;
}

function drawNode(node: JsonObject, at: Drawing): Json | undefined {
  const { $ref, allOf, anyOf, oneOf, ...rest } = node;
  if (typeof $ref === "string") return drawNode((at.root.$defs as Record<string, JsonObject>)[$ref.slice("#/$defs/".length)]!, at);
  if (allOf !== undefined)
    return drawNode(
      branchesOf(node, "allOf").reduce((merged, part) => mergeSchemas(merged, part) ?? merged, { ...rest, ...pick({ anyOf, oneOf }) }),
      at,
    );
  const keyword = anyOf === undefined ? "oneOf" : "anyOf";
  const branches = branchesOf(node, keyword);
  if (branches.length === 0) return drawPlain(node, at);
  const others = pick(keyword === "anyOf" ? { oneOf } : {});
  const branch = choose(at.depth > deepest ? branches.toSorted((a, b) => weigh(a) - weigh(b)).slice(0, 1) : branches, at.draw);
  return drawNode({ ...(mergeSchemas(rest, branch) ?? branch), ...others }, at);
}

const pick = (members: Record<string, Json | undefined>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
const choose = <Item>(items: readonly Item[], draw: Draw): Item => items[draw(items.length - 1)]!;
/** How much below a schema may go on: a branch that ends is taken where it is deep. */
const weigh = (node: JsonObject) => JSON.stringify(node).split("$ref").length;
const anything: readonly Json[] = [null, true, 0, -1.5, "", "5", "text", [], [1, "a"], {}, { a: null }, "{}"];

function drawPlain(node: JsonObject, at: Drawing): Json | undefined {
  if (node.const !== undefined) return node.const;
  if (Array.isArray(node.enum)) return choose(node.enum as Json[], at.draw);
  const types = typesOf(node);
  switch (types.length === 0 ? "any" : choose(types, at.draw)) {
    case "any":
      return !isNode(node.not) || Object.keys(node.not).length > 0 ? choose(anything, at.draw) : undefined;
    case "null":
      return null;
    case "boolean":
      return at.draw(1) === 1;
    case "integer":
      return drawNumber(node, 1, at.draw);
    case "number":
      return drawNumber(node, 0.5, at.draw);
    case "array":
      return drawList(node, at);
    case "object":
      return drawObject(node, at);
    default:
      return drawText(node, at.draw);
  }
}

function drawNumber(node: JsonObject, unit: number, draw: Draw): number {
  const step = Number(node.multipleOf ?? unit);
  const low = node.exclusiveMinimum === undefined ? Number(node.minimum ?? Number.NEGATIVE_INFINITY) : Number(node.exclusiveMinimum) + step;
  const high =
    node.exclusiveMaximum === undefined ? Number(node.maximum ?? Number.POSITIVE_INFINITY) : Number(node.exclusiveMaximum) - step;
  const least = Number.isFinite(low) ? Math.ceil(low / step) : Math.min(0, Number.isFinite(high) ? Math.floor(high / step) : 0) - 20;
  const most = Number.isFinite(high) ? Math.floor(high / step) : least + 1000;
  return Math.min(least + draw(Math.max(0, Math.min(most - least, 1000))), most) * step;
}

function drawList(node: JsonObject, at: Drawing): Json | undefined {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, prefixItems, items } = node;
  const first = Array.isArray(prefixItems) ? prefixItems.filter(isNode) : [];
  const rest = items === false ? undefined : isNode(items) ? items : {};
  const atLeast = Math.max(Number(minItems), node.contains === undefined ? 0 : 1);
  const most = Math.min(Number(maxItems), rest ? atLeast + first.length + 2 : first.length);
  const length = at.depth > deepest ? atLeast : atLeast + at.draw(Math.max(0, most - atLeast));
  const found = new Map<string, Json>();
  const drawn: Json[] = [];
  for (let index = 0; index < length; index++) {
    const schema = first[index] ?? (index === 0 && isNode(node.contains) ? node.contains : rest);
    const value = schema && drawNode(schema, { ...at, depth: at.depth + 1 });
    if (value === undefined) return undefined;
    if (node.uniqueItems !== true || !found.has(canonicalJson(value))) drawn.push(value);
    found.set(canonicalJson(value), value);
  }
  return drawn;
}

function drawObject(node: JsonObject, at: Drawing): Json | undefined {
  const below = { ...at, depth: at.depth + 1 };
  const required = new Set(requiredOf(node));
  const drawn = new Map<string, Json>();
  const members = new Map(propertiesOf(node));
  for (const name of required)
    if (!members.has(name)) members.set(name, isNode(node.additionalProperties) ? node.additionalProperties : {});
  for (const [name, schema] of members) {
    if (!required.has(name) && (at.depth > deepest || at.draw(1) === 0)) continue;
    const value = drawNode(schema, below);
    if (value !== undefined) drawn.set(name, value);
    else if (required.has(name)) return undefined;
  }
  const wanted = Math.max(Number(node.minProperties ?? 0) - drawn.size, 0);
  const extra = at.depth > deepest ? wanted : wanted + at.draw(2);
  for (let count = 0; count < extra; count++) {
    const member = drawOther(node, below);
    if (member && !drawn.has(member[0]) && drawn.size < Number(node.maxProperties ?? Number.POSITIVE_INFINITY)) drawn.set(...member);
  }
  return Object.fromEntries(drawn);
}

const names = ["a", "b1", "some name", "key", "$ref", "__proto__", "läng"];

/** A member that has no name in the schema, where the schema says that there may be some. */
function drawOther(node: JsonObject, at: Drawing): [string, Json] | undefined {
  const patterns = isPlainObject(node.patternProperties) ? (Object.entries(node.patternProperties) as [string, JsonObject][]) : [];
  const others = node.additionalProperties ?? (patterns.length === 0 && node.properties === undefined);
  const kinds: [string | undefined, JsonObject][] = [
    ...patterns,
    ...(others === false ? [] : ([[undefined, isNode(others) ? others : {}]] as [undefined, JsonObject][])),
  ];
  if (kinds.length === 0) return undefined;
  const [pattern, schema] = choose(kinds, at.draw);
  const name = pattern === undefined ? drawName(node, at) : drawText({ pattern }, at.draw);
  const value = drawNode(schema, at);
  return typeof name === "string" && value !== undefined && !propertiesOf(node).some(([known]) => known === name)
    ? [name, value]
    : undefined;
}

function drawName(node: JsonObject, at: Drawing): Json | undefined {
  if (!isNode(node.propertyNames) || Object.keys(node.propertyNames).join() === "type") return choose(names, at.draw);
  return drawNode({ type: "string", ...node.propertyNames }, at);
}
