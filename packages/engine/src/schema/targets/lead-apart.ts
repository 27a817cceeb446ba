import { canonicalJson, type JsonObject } from "../../contract/json.ts";
import { propertiesOf } from "../schema-node.ts";

/** Orders the members of a union's objects so that no two begin with the same member: a constant first, where two would. */
export function leadApart(branches: readonly JsonObject[]): JsonObject[] {
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
