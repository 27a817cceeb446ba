import { type ForeignMark, lowestTrust, type Trust } from "../../contract/foreign.ts";
import type { Principal, Source } from "../../contract/principal.ts";
import type { ForeignMarks } from "../../ports/foreign-marks.ts";

/** The sessions whose foreign content a call in this one may be made of. */
export function sessionsOf({ foreignFrom = [] }: Pick<Principal, "foreignFrom">, session: string): readonly string[] {
  return [...new Set([session, ...foreignFrom])];
}

/** Whose word a text is that a call brings, and what the session had read, oldest first. */
export interface SessionTrust {
  readonly trust: Trust;
  readonly marks: readonly ForeignMark[];
}

/** Where people write what a call brings. */
const personSources: ReadonlySet<Source | undefined> = new Set(["web", "cli"]);

/** A stranger's once the session has read foreign content; else a person's who calls without an agent; else an agent's. */
export async function trustOf(principal: Principal, session: string, foreign: ForeignMarks): Promise<SessionTrust> {
  const marks = await foreign.of(principal.tenant, sessionsOf(principal, session));
  const isPerson = principal.agent === undefined && principal.actor.kind === "user" && personSources.has(principal.source);
  return { trust: lowestTrust([isPerson ? "person" : "agent", ...(marks.length > 0 ? ["foreign" as const] : [])]), marks };
}
