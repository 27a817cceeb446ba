import type { Json, JsonObject } from "../../contract/json.ts";
import { toPointer } from "../json-pointer.ts";
import { isNode, type SchemaPath, typesOf } from "../schema-node.ts";
import { asIs, formOfList } from "./form.ts";
import { dropTwins, finish, type Rewriting, type Rewritten, spliceUnion } from "./rewriting.ts";
import { describe } from "./say.ts";

export function rewriteList(node: JsonObject, path: SchemaPath, run: Rewriting): Rewritten {
  if (Array.isArray(node.prefixItems)) return rewriteTuple(node, path, run);
  const items = run.rewrite(isNode(node.items) ? node.items : {}, [...path, "items"], run);
  return { schema: finish({ ...node, items: items.schema }, path, run), form: formOfList(() => items.form, items.form === asIs) };
}

/** A tuple where the target knows one; else a list of any of the items, whose order is said in words. */
function rewriteTuple(node: JsonObject, path: SchemaPath, run: Rewriting): Rewritten {
  const { prefixItems, items, ...rest } = node;
  const first = (prefixItems as Json[]).filter(isNode);
  const others = isNode(items) ? [items] : [];
  const written = [
    ...first.map((item, index) => run.rewrite(item, [...path, "prefixItems", index], run)),
    ...others.map((item) => run.rewrite(item, [...path, "items"], run)),
  ];
  const most = rest.maxItems ?? (items === false ? first.length : undefined);
  const list = { ...rest, ...(most !== undefined && { maxItems: most }) };
  const form = formOfList(
    (index) => (written[index] ?? (others.length > 0 ? written.at(-1) : undefined))?.form ?? asIs,
    written.every((each) => each.form === asIs),
  );
  const schemas = written.map(({ schema }) => schema);
  if (run.dialect.keywords.has("prefixItems")) {
    const after: JsonObject = others.length > 0 ? { items: schemas.at(-1)! } : {};
    return { schema: finish({ ...list, prefixItems: schemas.slice(0, first.length), ...after }, path, run), form };
  }
  const kinds = dropTwins(schemas.flatMap(spliceUnion));
  run.losses.push({
    path: toPointer(path),
    keyword: "prefixItems",
    reason: "Which item stands where is said in the description.",
    goesTo: "description",
  });
  const order = first.map((item, index) => `${index + 1}. ${summarize(item)}`).join(", ");
  const described = describe(list, [`in this order: ${order}${others.length > 0 ? `, then any number of ${summarize(others[0]!)}` : ""}`]);
  return { schema: finish({ ...described, items: kinds.length === 1 ? kinds[0]! : { anyOf: kinds } }, path, run), form };
}

function summarize(node: JsonObject): string {
  const name = typeof node.title === "string" ? node.title : typeof node.description === "string" ? node.description : undefined;
  const type = typesOf(node).join(" or ") || "value";
  return name === undefined ? type : `${name} (${type})`;
}
