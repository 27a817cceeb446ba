import type { Item } from "../../api/queries.ts";
import { compareValues } from "./compare-values.ts";

type Tool = Pick<Item<"tools.list">, "inputSchema" | "description">;

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

/** What is other in a tool whose form was open, in words. Empty where it is nothing that the form shows. */
export function changesOf(before: Tool, after: Tool): readonly string[] {
  const [was, is] = [membersOf(before), membersOf(after)];
  const added = [...is.keys()].filter((name) => !was.has(name));
  const removed = [...was.keys()].filter((name) => !is.has(name));
  const changed = [...is.keys()].filter((name) => was.has(name) && compareValues(was.get(name), is.get(name)).length > 0);
  return [
    ...(added.length > 0 ? [`new: ${added.join(", ")}`] : []),
    ...(removed.length > 0 ? [`gone: ${removed.join(", ")}`] : []),
    ...(changed.length > 0 ? [`changed: ${changed.join(", ")}`] : []),
    ...(before.description === after.description ? [] : ["another description"]),
  ];
}

/** Each member by its name, with whether it must be there. */
function membersOf({ inputSchema }: Tool): ReadonlyMap<string, unknown> {
  const { properties = {}, required = [] } = inputSchema as Schema;
  return new Map(Object.entries(properties).map(([name, schema]) => [name, { schema, isRequired: required.includes(name) }]));
}
