import type { Json } from "../contract/json.ts";
import { canonicalJson, isPlainObject } from "../contract/json.ts";
import { formatPath } from "./document/format-path.ts";

/** One thing that differs between two documents: added without `before`, removed without `after`. */
export interface PolicyDifference {
  /** `tools.deny`, `sandbox.network`, `agents`. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** What a later document says differently, member by member, and of a list entry by entry. */
export function diffPolicies(before: Json, after: Json): readonly PolicyDifference[] {
  return diffAt([], before, after);
}

type Path = readonly string[];

function diffAt(path: Path, before: Json | undefined, after: Json | undefined): readonly PolicyDifference[] {
  if (before === undefined && after === undefined) return [];
  if (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after)) return [];
  if (isMembers(before) && isMembers(after)) return diffMembers(path, before, after);
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(path, before, after);
  return [difference(path, before, after)];
}

type Members = { readonly [name: string]: Json };
const isMembers = (value: Json | undefined): value is Members => isPlainObject(value);

function diffMembers(path: Path, before: Members, after: Members): readonly PolicyDifference[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const own = (members: Members, name: string) => (Object.hasOwn(members, name) ? members[name] : undefined);
  return [...names].flatMap((name) => diffAt([...path, name], own(before, name), own(after, name)));
}

/** Entries of both lists in another order are one difference. */
function diffLists(path: Path, before: readonly Json[], after: readonly Json[]): readonly PolicyDifference[] {
  const removed = without(before, after).map((entry) => difference(path, entry, undefined));
  const added = without(after, before).map((entry) => difference(path, undefined, entry));
  return removed.length + added.length > 0 ? [...removed, ...added] : [difference(path, [...before], [...after])];
}

function without(entries: readonly Json[], others: readonly Json[]): readonly Json[] {
  const left = others.map((entry) => canonicalJson(entry));
  return entries.filter((entry) => {
    const place = left.indexOf(canonicalJson(entry));
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

function difference(path: Path, before: Json | undefined, after: Json | undefined): PolicyDifference {
  return { path: formatPath(path), ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}
