import type { Principal } from "../../contract/principal.ts";

/** The sessions whose foreign content a call in this one may be made of. */
export function sessionsOf({ foreignFrom = [] }: Pick<Principal, "foreignFrom">, session: string): readonly string[] {
  return [...new Set([session, ...foreignFrom])];
}
