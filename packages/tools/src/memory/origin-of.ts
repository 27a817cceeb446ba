import type { MemorySource, SessionTrust, Trust } from "@toolwright/engine/ports";

const mostSources = 20;

/** Who stands behind what is saved now, at most, and where it may come from: the session may have it from anything that it has read. */
export function originOf(
  { trust, marks }: SessionTrust,
  callId: string,
): { readonly trust: Trust; readonly sources: readonly MemorySource[] } {
  const own: MemorySource = { kind: "call", callId };
  const sources = marks.map(
    ({ kind, callId: from, place }): MemorySource => ({ kind, callId: from, ...(place !== undefined && { place }) }),
  );
  return { trust, sources: [own, ...sources.slice(0, mostSources - 1)] };
}
