import { sectionsOf } from "@toolwright/engine/policy";
import type { LoadedPolicy } from "./load-policy-file.ts";
import type { MemberPath, PolicyPosition } from "./read-policy-text.ts";

/** Where the rule of a decision stands in the policy's files; undefined for what no file says, such as a default or a grant. */
export function locateRule(policy: Pick<LoadedPolicy, "file" | "positionOf">, rule: string): PolicyPosition | undefined {
  const candidates = sectionsOf(policy.file).flatMap(({ path, members, agent }) =>
    namesOf(path, agent)
      .filter((name) => rule.startsWith(name))
      .map((name) => ({ path, members, rest: splitRule(rule.slice(name.length)) })),
  );
  const found = candidates.find(({ members, rest }) => isThere(members, rest));
  return found && policy.positionOf([...found.path, ...found.rest]);
}

/** How decisions begin the names of a document's rules; the platform's has none when it stands alone. */
function namesOf(path: MemberPath, agent: string | undefined): readonly string[] {
  if (agent !== undefined) return [`agents.${agent}.`];
  return path.length === 0 ? ["platform.", ""] : [`${path.join(".")}.`];
}

/** `commands.rules[0]`: the members on the way to a rule; the names of tools may have dots. */
function splitRule(rule: string): MemberPath {
  const [, member, tool] = /^(rates|after_foreign)\.(.+)$/.exec(rule) ?? [];
  if (member !== undefined && tool !== undefined) return [member, tool];
  return [...rule.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
}

function isThere(members: object, path: MemberPath): boolean {
  let value: unknown = members;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return false;
    value = (value as Readonly<Record<string | number, unknown>>)[part];
  }
  return path.length > 0 && value !== undefined;
}
