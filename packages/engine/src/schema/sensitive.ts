import type { Json, JsonObject } from "../contract/json.ts";
import { fromPointer, valueAt } from "./json-pointer.ts";
import { branchesOf, isNode, propertiesOf, typesOf } from "./schema-node.ts";

/** Keyword of JSON Schema, and of `.meta()` in Zod, that marks a member as sensitive. */
export const sensitiveKeyword = "sensitive";

/** Whether a schema marks what it describes: by our keyword, as write-only, or as a password. */
const isMarked = (node: JsonObject) => node[sensitiveKeyword] === true || node.writeOnly === true || node.format === "password";

/** What stands where a sensitive member stood: `[sensitive, 12 characters]`. Absent and null stay, since they hold nothing. */
export function hiddenForm(value: unknown): Json {
  if (value === null || value === undefined) return null;
  const count = (length: number, unit: string) => `[sensitive, ${length} ${unit}${length === 1 ? "" : "s"}]`;
  if (typeof value === "string") return count(value.length, "character");
  if (Array.isArray(value)) return count(value.length, "item");
  if (typeof value === "object") return count(Object.keys(value).length, "member");
  return "[sensitive]";
}

const hidden = /^\[sensitive(?:, \d+ (?:character|item|member)s?)?\]$/;

/** True for what stands where a sensitive member stood. */
export const isHidden = (value: unknown): value is string => typeof value === "string" && value.length < 64 && hidden.test(value);

/** Gives what stands in place of a sensitive member at a path. */
type ReplaceMember = (member: unknown, path: readonly string[]) => unknown;

/** Which members of a value are sensitive, by its JSON Schema. A branch of a union that marks a member is enough. */
export interface Sensitive {
  /** A copy in which each sensitive member is replaced. What holds none is given back as it is. */
  map(value: unknown, replace: ReplaceMember): unknown;
  /** A copy with lengths in place of sensitive members. */
  hide<Value>(value: Value): Value;
  /** Texts and numbers of sensitive members. */
  valuesIn(value: unknown): readonly string[];
  /** True where a message about the value at this JSON pointer could quote a sensitive member. */
  covers(pointer: string): boolean;
}

/** Undefined for a schema that marks nothing. `marked` names members at the top that are sensitive beside those that the schema marks. */
export function readSensitive(root: JsonObject, marked: ReadonlySet<string> = new Set()): Sensitive | undefined {
  const marks = new Marks(root);
  return marked.size > 0 || marks.below(root) ? new SensitiveMembers(root, marks, marked) : undefined;
}

/** Looks at each node of a schema once. */
class Marks {
  readonly #root: JsonObject;
  readonly #wholes = new WeakMap<JsonObject, readonly JsonObject[]>();
  readonly #below = new WeakMap<JsonObject, boolean>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** The node with all that it refers to and is put together from. */
  whole(node: JsonObject): readonly JsonObject[] {
    const known = this.#wholes.get(node);
    if (known) return known;
    const found = new Set<JsonObject>();
    const add = (each: unknown): void => {
      if (!isNode(each) || found.has(each)) return;
      found.add(each);
      if (typeof each.$ref === "string") add(valueAt(this.#root, fromPointer(each.$ref)));
      for (const keyword of ["allOf", "anyOf", "oneOf"] as const) for (const branch of branchesOf(each, keyword)) add(branch);
      for (const branch of [each.if, each.then, each.else]) add(branch);
      for (const branch of Object.values(isNode(each.dependentSchemas) ? each.dependentSchemas : {})) add(branch);
    };
    add(node);
    const whole = [...found];
    this.#wholes.set(node, whole);
    return whole;
  }

  /** Whether the node or anything below it is marked. */
  below(node: JsonObject): boolean {
    const known = this.#below.get(node);
    if (known !== undefined) return known;
    const seen = new Set<JsonObject>();
    const look = (each: JsonObject): boolean =>
      this.whole(each).some((part) => {
        if (isMarked(part)) return true;
        if (seen.has(part)) return false;
        seen.add(part);
        return childrenOf(part).some(look);
      });
    const answer = look(node);
    this.#below.set(node, answer);
    return answer;
  }

  /** The schemas of a member of which something is marked. */
  at(nodes: readonly JsonObject[], name: string | number): readonly JsonObject[] {
    const found = nodes.flatMap((node) => (typeof name === "number" ? itemSchemas(node, name) : memberSchemas(node, name)));
    return found.filter((node) => this.below(node)).flatMap((node) => this.whole(node));
  }
}

const nodesIn = (values: readonly unknown[]): readonly JsonObject[] => values.filter(isNode);

function childrenOf(node: JsonObject): readonly JsonObject[] {
  const maps = [node.properties, node.patternProperties].flatMap((map) => (isNode(map) ? Object.values(map) : []));
  const lists = Array.isArray(node.prefixItems) ? (node.prefixItems as readonly unknown[]) : [];
  return nodesIn([...maps, ...lists, node.items, node.additionalProperties, node.unevaluatedProperties, node.contains]);
}

/** Patterns count for every name: to try them costs more than a length that need not have stood there. */
function memberSchemas(node: JsonObject, name: string): readonly JsonObject[] {
  const own = propertiesOf(node).find(([each]) => each === name)?.[1];
  const patterned = isNode(node.patternProperties) ? Object.values(node.patternProperties) : [];
  return nodesIn(own ? [own, ...patterned] : [...patterned, node.additionalProperties, node.unevaluatedProperties]);
}

function itemSchemas(node: JsonObject, index: number): readonly JsonObject[] {
  const prefix = Array.isArray(node.prefixItems) ? (node.prefixItems as readonly unknown[])[index] : undefined;
  return nodesIn([prefix ?? node.items, node.contains]);
}

/** A text that may be the JSON of what the schema wants there: it is not taken apart. */
function maybeContainer(text: string, nodes: readonly JsonObject[]): boolean {
  return /^\s*[[{]/.test(text) || !nodes.some((node) => typesOf(node).includes("string") || "const" in node || "enum" in node);
}

class SensitiveMembers implements Sensitive {
  readonly #root: JsonObject;
  readonly #marks: Marks;
  readonly #marked: ReadonlySet<string>;

  constructor(root: JsonObject, marks: Marks, marked: ReadonlySet<string>) {
    this.#root = root;
    this.#marks = marks;
    this.#marked = marked;
  }

  map(value: unknown, replace: ReplaceMember): unknown {
    return this.#walk(value, { nodes: this.#marks.whole(this.#root), path: [], replace });
  }

  hide<Value>(value: Value): Value {
    return this.map(value, hiddenForm) as Value;
  }

  valuesIn(value: unknown): readonly string[] {
    const found = new Set<string>();
    this.map(value, (member) => {
      collect(member, found);
      return member;
    });
    return [...found];
  }

  covers(pointer: string): boolean {
    const path = fromPointer(pointer);
    if (path[0] !== undefined && this.#marked.has(path[0])) return true;
    let nodes = this.#marks.whole(this.#root);
    for (const name of path) {
      if (nodes.some(isMarked)) return true;
      const asItem = /^\d+$/.test(name) ? this.#marks.at(nodes, Number(name)) : [];
      nodes = [...this.#marks.at(nodes, name), ...asItem];
    }
    return nodes.length > 0 && (path.length > 0 || nodes.some((node) => this.#marks.below(node)));
  }

  #walk(
    value: unknown,
    at: { readonly nodes: readonly JsonObject[]; readonly path: readonly string[]; readonly replace: ReplaceMember },
  ): unknown {
    const { nodes, path, replace } = at;
    if (value === null || value === undefined) return value;
    if (nodes.some(isMarked)) return replace(value, path);
    const isTop = path.length === 0;
    if (nodes.length === 0 && !isTop) return value;
    if (typeof value === "string") return maybeContainer(value, nodes) ? replace(value, path) : value;
    if (Array.isArray(value)) {
      const items = value.map((item, index) =>
        this.#walk(item, { nodes: this.#marks.at(nodes, index), path: [...path, `${index}`], replace }),
      );
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (typeof value !== "object") return value;
    const entries = Object.entries(value).map(([name, member]) => [name, member, this.#member([name, member], at)] as const);
    if (entries.every(([, before, after]) => before === after)) return value;
    return Object.fromEntries(entries.map(([name, , after]) => [name, after]));
  }

  #member(
    [name, member]: readonly [string, unknown],
    { nodes, path, replace }: { readonly nodes: readonly JsonObject[]; readonly path: readonly string[]; readonly replace: ReplaceMember },
  ): unknown {
    const below = [...path, name];
    if (path.length === 0 && this.#marked.has(name)) return member === null || member === undefined ? member : replace(member, below);
    return this.#walk(member, { nodes: this.#marks.at(nodes, name), path: below, replace });
  }
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value === "string") found.add(value);
  else if (typeof value === "number") found.add(String(value));
  else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) collect(each, found);
}
