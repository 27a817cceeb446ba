import type { JsonObject } from "../../contract/json.ts";
import { flattenRoot, rootBranches } from "../flatten-root.ts";
import { propertiesOf } from "../schema-node.ts";
import { type Run, sayRefused } from "./say.ts";
import { mergeAll, sayAlternatives } from "./simplify.ts";

export interface ShapedRoot {
  readonly schema: JsonObject;
  /** The union at the top, and the member that it becomes. */
  readonly wrapped?: { readonly member: string; readonly union: JsonObject };
}

/** Brings the top of a schema into the form that a target takes. Undefined when it is not an object, nor a union of objects. */
export function shapeRoot(root: JsonObject, run: Run): ShapedRoot | undefined {
  const { union, refuses } = run.dialect.root;
  const merged = refuses.has("allOf") ? mergeAll(root, [], run) : root;
  const plain = refuses.has("anyOf") ? sayAlternatives(merged, [], run) : merged;
  const branches = rootBranches(plain);
  if (!branches) return undefined;
  const settle = (schema: JsonObject) => ({
    schema: sayRefused({ ...schema, type: "object" }, [], run, (keyword) => !refuses.has(keyword)),
  });
  if (union === "keep" || (plain.anyOf === undefined && plain.oneOf === undefined)) return settle(plain);
  const keyword = plain.anyOf === undefined ? "oneOf" : "anyOf";
  if (union === "wrap") {
    const { $defs, ...node } = plain;
    const member = freeName(branches);
    run.rewrites.push({ path: "", form: "wrapper", reason: `The union at the top is the member ${member} of an object.` });
    return { schema: { type: "object", ...($defs !== undefined && { $defs }) }, wrapped: { member, union: node } };
  }
  const reason = "A union at the top is one object with the members of all branches: the description says which go together.";
  run.losses.push({ path: "", keyword, reason, goesTo: "description" });
  return settle(flattenRoot(plain) ?? plain);
}

/** A name that no branch has, so that an input which a model did not wrap is told from one that it did. */
function freeName(branches: readonly JsonObject[]): string {
  const taken = new Set(branches.flatMap((branch) => propertiesOf(branch).map(([name]) => name)));
  let name = "input";
  while (taken.has(name)) name = `${name}_`;
  return name;
}
