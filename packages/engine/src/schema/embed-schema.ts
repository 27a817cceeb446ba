import type { JsonObject } from "../contract/json.ts";
import { fromPointer, toPointer } from "./json-pointer.ts";
import { isNode, mapChildren } from "./schema-node.ts";

/** A schema as a part of a larger document, such as OpenAPI. */
export interface EmbeddedSchema {
  readonly schema: JsonObject;
  /** Its definitions, by their names in the document: `NAME.DEFINITION`. */
  readonly definitions: Readonly<Record<string, JsonObject>>;
}

/** Where the schema stands, and how references to schemas of the document begin. */
export interface Embedding {
  /** The schema's own name in the document; 1 or more of `a-z`, `A-Z`, `0-9`, `.`, `_`, `-`. */
  readonly name: string;
  /** Such as `#/components/schemas/`. */
  readonly place: string;
  /** Name of a schema of the document that says the same as this one, whose description aside. */
  readonly findShared?: (schema: JsonObject) => string | undefined;
}

/** Keywords with a schema of their own, beside those that `mapChildren` visits. */
const conditions = ["if", "then", "else", "contains"];

/** Turns the references of a schema that stands alone into references of a document, in which its definitions are schemas beside it. */
export function embedSchema(schema: JsonObject, { name, place, findShared }: Embedding): EmbeddedSchema {
  const { $defs, ...top } = schema;
  const parts = isNode($defs) ? (Object.entries($defs) as [string, JsonObject][]) : [];
  const names = new Map(parts.map(([part], index) => [part, `${name}.${/^[\w.-]+$/.test(part) ? part : `part${index}`}`]));
  const refer = (reference: string): string => {
    if (!reference.startsWith("#")) return reference;
    const [first, part = "", ...rest] = fromPointer(reference.slice(1));
    const definition = first === "$defs" ? names.get(part) : undefined;
    return definition === undefined ? `${place}${name}${reference.slice(1)}` : `${place}${definition}${toPointer(rest)}`;
  };
  const embed = (node: JsonObject): JsonObject => {
    const shared = findShared?.(node);
    if (shared !== undefined)
      return { ...(node.description !== undefined && { description: node.description }), $ref: `${place}${shared}` };
    const below = mapChildren(node, embed);
    const conditional = conditions.flatMap((keyword) => (isNode(below[keyword]) ? [[keyword, embed(below[keyword])]] : []));
    return {
      ...below,
      ...Object.fromEntries(conditional),
      ...itemsOf(node),
      ...(typeof node.$ref === "string" && { $ref: refer(node.$ref) }),
    };
  };
  const embedded = embed(top);
  const definitions = parts.map(([part, definition]) => [names.get(part) ?? part, embed(definition)] as const);
  // Of what is shared, the definitions are somebody else's.
  const references = JSON.stringify([embedded, definitions]);
  return {
    schema: embedded,
    definitions: Object.fromEntries(definitions.filter(([part]) => findShared === undefined || references.includes(`"${place}${part}`))),
  };
}

/** Writes the `items` of a tuple as linters and generators of OpenAPI ask for it: `false` becomes a bound on the length. */
function itemsOf({ prefixItems, items, maxItems }: JsonObject): JsonObject {
  if (!Array.isArray(prefixItems)) return {};
  if (items === false)
    return { items: {}, maxItems: typeof maxItems === "number" ? Math.min(maxItems, prefixItems.length) : prefixItems.length };
  return items === undefined ? { items: {} } : {};
}
