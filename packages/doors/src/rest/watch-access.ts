import type { Principal } from "@toolwright/engine";
import { every } from "@toolwright/engine/ports";
import { principalKey } from "../http/owners.ts";
import type { RestParts } from "./door-options.ts";

/** Who asked for a stream, and with what. */
export interface StreamAccess {
  readonly request: Request;
  readonly principal: Principal;
}

/** Milliseconds between two looks: keys are revoked, sign-ins end and roles change while a stream is open. */
const lookMs = 15_000;

/** Calls back when the request of an open stream would not be answered any more, or as somebody who may do something else. Returns how to stop looking. */
export function watchAccess({ request, principal }: StreamAccess, { guard, clock }: Pick<RestParts, "guard" | "clock">, onEnd: () => void) {
  const had = rightsOf(principal);
  const look = async () => {
    const now = await guard(request);
    if ("refused" in now || rightsOf(now) !== had) onEnd();
  };
  // Where the store does not answer, nobody knows.
  return every(lookMs, clock, () => void look().catch(onEnd));
}

const rightsOf = (principal: Principal) => JSON.stringify([principalKey(principal), [...principal.permissions].sort()]);
