import type { Principal } from "../contract/principal.ts";
import { sessionsOf } from "../gate/foreign/sessions-of.ts";
import type { GateParts } from "../gate/gate-parts.ts";
import type { Scope } from "../scope-types.ts";

interface Marked {
  readonly principal: Principal;
  readonly scope: Pick<Scope, "session">;
  readonly parts: Pick<GateParts, "foreign">;
}

/**
 * The principal as its calls for later are made: what its session has read until now counts as read by them. Where that cannot be found out, it is
 * looked up when they run.
 */
export async function withMarks({ principal, scope, parts }: Marked): Promise<Principal> {
  const sessions = sessionsOf(principal, scope.session);
  const isMarked = await parts.foreign.of(principal.tenant, sessions).then(
    (marks) => marks.length > 0,
    () => true,
  );
  return isMarked ? { ...principal, foreignFrom: sessions } : principal;
}
