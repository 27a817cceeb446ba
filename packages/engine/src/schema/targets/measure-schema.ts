import type { JsonObject } from "../../contract/json.ts";
import { propertiesOf, requiredOf, walkNodes } from "../schema-node.ts";
import type { Dialect, SizeLimits } from "./dialect.ts";
import type { SchemaLoss } from "./rewrite-schema.ts";

const names: Readonly<Record<keyof SizeLimits, string>> = {
  properties: "members",
  depth: "levels of objects",
  enumValues: "enum values",
  optionalMembers: "optional members",
  unionMembers: "members of several types",
};

/** Says which sizes of a rewritten schema the provider refuses: such a tool has to go without strict mode. */
export function findExcess(schema: JsonObject, { limits }: Dialect): SchemaLoss[] {
  const sizes = measure(schema);
  return (Object.keys(limits) as (keyof SizeLimits)[])
    .filter((key) => sizes[key] > (limits[key] ?? Number.POSITIVE_INFINITY))
    .map((key) => ({
      path: "",
      keyword: "strict",
      reason: `The schema has ${sizes[key]} ${names[key]} and strict mode accepts ${limits[key]}: send this tool without strict mode.`,
    }));
}

function measure(schema: JsonObject): Record<keyof SizeLimits, number> {
  const sizes = { properties: 0, depth: 0, enumValues: 0, optionalMembers: 0, unionMembers: 0 };
  walkNodes(schema, (node, path) => {
    const members = propertiesOf(node);
    sizes.properties += members.length;
    sizes.optionalMembers += members.length - requiredOf(node).length;
    sizes.unionMembers += members.filter(([, member]) => member.anyOf !== undefined || Array.isArray(member.type)).length;
    if (Array.isArray(node.enum)) sizes.enumValues += node.enum.length;
    if (node.type === "object")
      sizes.depth = Math.max(sizes.depth, 1 + path.filter((part) => part === "properties" || part === "items").length);
  });
  return sizes;
}
