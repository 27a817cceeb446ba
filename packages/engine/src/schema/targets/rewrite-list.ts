import type { Json, JsonObject } from "../../contract/json.ts";
import { toPointer } from "../json-pointer.ts";
import { isNode, type SchemaPath, typesOf } from "../schema-node.ts";
import { asIs, formOfList } from "./form.ts";
import { dropTwins, finish, type Rewriting, type Rewritten, spliceUnion, useNullableKeyword } from "./rewriting.ts";
import { describe } from "./say.ts";

export function rewriteList(node: JsonObject, path: SchemaPath, run: Rewriting): Rewritten {
  if (Array.isArray(node.prefixItems)) return rewriteTuple(node, path, run);
  const items = run.rewrite(isNode(node.items) ? node.items : {}, [...path, "items"]);
  return { schema: finish({ ...node, items: items.schema }, path, run), form: formOfList(() => items.form, items.form === asIs) };
}

/** A list of any of the items; their order is said in words. */
function rewriteTuple(node: JsonObject, path: SchemaPath, run: Rewriting): Rewritten {
  const { prefixItems, items, ...rest } = node;
  const first = (prefixItems as Json[]).filter(isNode);
  const others = isNode(items) ? [items] : [];
  const written = [
    ...first.map((item, index) => run.rewrite(item, [...path, "prefixItems", index])),
    ...others.map((item) => run.rewrite(item, [...path, "items"])),
  ];
  const kinds = dropTwins(written.flatMap(({ schema }) => spliceUnion(schema)));
  const most = rest.maxItems ?? (items === false ? first.length : undefined);
  run.losses.push({
    path: toPointer(path),
    keyword: "prefixItems",
    reason: "Which item stands where is said in the description.",
    goesTo: "description",
  });
  const order = first.map((item, index) => `${index + 1}. ${summarize(item)}`).join(", ");
  const described = describe({ ...rest, ...(most !== undefined && { maxItems: most }) }, [
    `in this order: ${order}${others.length > 0 ? `, then any number of ${summarize(others[0]!)}` : ""}`,
  ]);
  const union = kinds.length === 1 ? kinds[0]! : { anyOf: kinds };
  return {
    schema: finish({ ...described, items: run.dialect.nullable === "keyword" ? useNullableKeyword(union) : union }, path, run),
    form: formOfList(
      (index) => (written[index] ?? (others.length > 0 ? written.at(-1) : undefined))?.form ?? asIs,
      written.every(({ form }) => form === asIs),
    ),
  };
}

function summarize(node: JsonObject): string {
  const name = typeof node.title === "string" ? node.title : typeof node.description === "string" ? node.description : undefined;
  const type = typesOf(node).join(" or ") || "value";
  return name === undefined ? type : `${name} (${type})`;
}
