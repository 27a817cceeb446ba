import type { JsonObject } from "../../contract/json.ts";
import { propertiesOf, requiredOf, walkNodes } from "../schema-node.ts";
import type { Dialect, SizeLimits } from "./dialect.ts";
import type { SchemaLoss } from "./say.ts";

const names: Readonly<Record<keyof SizeLimits, string>> = {
  properties: "members",
  depth: "levels of objects",
  enumValues: "enum values",
  characters: "characters in names and values",
  longEnum: "characters in one enum",
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
      goesTo: "check" as const,
      reason: `The schema has ${sizes[key]} ${names[key]} and strict mode accepts ${limits[key]}: send this tool without strict mode.`,
    }));
}

function measure(schema: JsonObject): Record<keyof SizeLimits, number> {
  const sizes = { properties: 0, depth: 0, enumValues: 0, characters: 0, longEnum: 0, optionalMembers: 0, unionMembers: 0 };
  walkNodes(schema, (node, path) => {
    const members = propertiesOf(node);
    sizes.properties += members.length;
    sizes.optionalMembers += members.length - requiredOf(node).length;
    sizes.unionMembers += members.filter(([, member]) => member.anyOf !== undefined || Array.isArray(member.type)).length;
    sizes.characters += members.reduce((sum, [name]) => sum + name.length, 0) + (path.at(-2) === "$defs" ? String(path.at(-1)).length : 0);
    if (node.const !== undefined) sizes.characters += String(node.const).length;
    if (Array.isArray(node.enum)) {
      const length = node.enum.reduce<number>((sum, value) => sum + String(value).length, 0);
      sizes.enumValues += node.enum.length;
      sizes.characters += length;
      if (node.enum.length > 250) sizes.longEnum = Math.max(sizes.longEnum, length);
    }
    if (node.type === "object")
      sizes.depth = Math.max(sizes.depth, 1 + path.filter((part) => part === "properties" || part === "items").length);
  });
  return sizes;
}
