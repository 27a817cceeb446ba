import { digest, type Fingerprint } from "@toolwright/engine/ports";

/** Names and marks that a record holds. */
const maxParts = 1000;
/** Digits of a part's mark: it tells parts apart for people, the digest of all decides. */
const markLength = 16;
/** Parts of a path by which files are put together, finest first. */
const depths = [6, 4, 3, 2, 1];

/** The parts as a person knows them by; of very many, the folders that hold them. */
export function summariseParts(entries: readonly (readonly [name: string, mark: unknown])[]): NonNullable<Fingerprint["parts"]> {
  const marked = entries.map(([name, mark]) => [name, digest(mark).slice(0, markLength)] as const);
  if (marked.length <= maxParts) return marked;
  for (const depth of depths) {
    const groups = groupBy(marked, depth);
    if (groups.size <= maxParts) return [...groups].map(([name, marks]) => [name, digest(marks).slice(0, markLength)] as const);
  }
  return [[".", digest(marked).slice(0, markLength)]];
}

function groupBy(marked: readonly (readonly [string, string])[], depth: number): ReadonlyMap<string, readonly unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const entry of marked) {
    const name = entry[0].split("/").slice(0, depth).join("/");
    const group = groups.get(name);
    if (group) group.push(entry);
    else groups.set(name, [entry]);
  }
  return groups;
}
