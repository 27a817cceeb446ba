import type { JsonObject } from "../contract/json.ts";
import { fromPointer, toPointer } from "../schema/json-pointer.ts";
import { branchesOf, isNode, nodesAt, propertiesOf, typesOf } from "../schema/schema-node.ts";
import type { ViewBlock, ViewMember, ViewSpec } from "../tool/presentation.ts";
import { describeMissing, type SpecFault } from "./check-form.ts";

/** The first thing in a view spec that does not go with the output schema. */
export function findViewFault({ blocks }: ViewSpec, output: JsonObject): SpecFault | undefined {
  for (const [index, block] of blocks.entries()) {
    const fault = findBlockFault(block, output);
    if (fault) return { ...fault, place: `/view/blocks/${index}${fault.place}` };
  }
  return undefined;
}

function findBlockFault(block: ViewBlock, output: JsonObject): SpecFault | undefined {
  const path = fromPointer(block.data);
  for (let length = 0; length < path.length; length++) {
    const above = nodesAt(output, path.slice(0, length));
    if (above.some(takesAnything)) return undefined;
    const name = path[length] ?? "";
    if (nodesAt(output, path.slice(0, length + 1)).length === 0)
      return { place: "/data", problem: describeMissing("output", name, namesOf(above)) };
  }
  const found = nodesAt(output, path);
  return findTypeFault(block, found) ?? findMemberFault(block, output, path);
}

/** What the data of a block has to be; a block that is not here takes any. */
const takenTypes: Partial<Readonly<Record<ViewBlock["block"], readonly string[]>>> = {
  table: ["array"],
  chart: ["array"],
  radar: ["array"],
  ranking: ["array"],
  markdown: ["string"],
  image: ["string", "object"],
  file: ["string", "object", "array"],
};

function findTypeFault({ block, data }: ViewBlock, found: readonly JsonObject[]): SpecFault | undefined {
  const taken = takenTypes[block];
  const types = [...new Set(found.flatMap(typesOf))].filter((type) => type !== "null");
  if (!taken || types.length === 0 || types.some((type) => taken.includes(type))) return undefined;
  const where = data === "" ? "the output" : JSON.stringify(data);
  return { place: "/data", problem: `${where} is of type ${types.join(" or ")}, and the block ${block} takes ${taken.join(" or ")}` };
}

function findMemberFault(block: ViewBlock, output: JsonObject, path: readonly string[]): SpecFault | undefined {
  const row = nodesAt(output, block.block === "summary" ? path : [...path, "0"]);
  if (row.length === 0 || row.some(takesAnything)) return undefined;
  const known = namesOf(row);
  const missing = membersOf(block).find(({ name }) => !known.includes(name));
  return missing && { place: missing.place, problem: describeMissing("output", missing.name, known) };
}

interface NamedMember {
  readonly name: string;
  readonly place: string;
}

/** Members that a block names, each with its place in it. */
function membersOf(block: ViewBlock): readonly NamedMember[] {
  switch (block.block) {
    case "summary":
      return listed(block.items, "items");
    case "table":
      return listed(block.columns, "columns");
    case "chart":
      return [...single(block.x, "/x"), ...listed(block.series, "series")];
    case "radar":
      return [...single(block.axis, "/axis"), ...listed(block.series, "series")];
    case "ranking":
      return [...single(block.label, "/label"), ...single(block.score?.name, "/score/name")];
    default:
      return [];
  }
}

const listed = (members: readonly ViewMember[] = [], field: string): readonly NamedMember[] =>
  members.map(({ name }, index) => ({ name, place: toPointer([field, index, "name"]) }));
const single = (name: string | undefined, place: string): readonly NamedMember[] => (name === undefined ? [] : [{ name, place }]);

const namesOf = (nodes: readonly JsonObject[]): readonly string[] => [
  ...new Set(nodes.flatMap((node) => propertiesOf(node).map(([name]) => name))),
];

/** True where the schema does not say which members there are. */
function takesAnything(node: JsonObject): boolean {
  if (node.prefixItems !== undefined || node.additionalProperties === true || isNode(node.additionalProperties)) return true;
  const isUnion = (["anyOf", "oneOf", "allOf"] as const).some((keyword) => branchesOf(node, keyword).length > 0);
  return typesOf(node).length === 0 && node.$ref === undefined && !isUnion && node.const === undefined && node.enum === undefined;
}
