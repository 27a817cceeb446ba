import type { CallSite, Principal } from "@toolwright/engine";
import type { ForeignMark, ForeignMarks, MemorySource, Trust } from "@toolwright/engine/ports";

/** Where a person types what is saved, without an agent between. */
const personSources: ReadonlySet<string | undefined> = new Set(["web", "cli"]);
const mostSources = 20;

/** What the session has read that nobody here wrote, and the sessions that began it. */
export function readMarks(
  foreign: ForeignMarks,
  { principal, session }: Pick<CallSite, "principal" | "session">,
): Promise<readonly ForeignMark[]> {
  return foreign.of(principal.tenant, [session, ...(principal.foreignFrom ?? [])]);
}

/** Who stands behind what is saved now, at most: the session may have it from anything that it has read. */
export function originOf(
  marks: readonly ForeignMark[],
  { principal, callId }: { readonly principal: Principal; readonly callId: string },
): { readonly trust: Trust; readonly sources: readonly MemorySource[] } {
  const own: MemorySource = { kind: "call", callId };
  if (marks.length > 0) {
    const sources = marks.map(
      ({ kind, callId: from, place }): MemorySource => ({ kind, callId: from, ...(place !== undefined && { place }) }),
    );
    return { trust: "foreign", sources: [own, ...sources.slice(0, mostSources - 1)] };
  }
  const isPerson = principal.agent === undefined && principal.actor.kind === "user" && personSources.has(principal.source);
  return { trust: isPerson ? "person" : "agent", sources: [own] };
}
