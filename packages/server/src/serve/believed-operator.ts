import type { RestDoorOptions } from "@toolwright/doors/rest";
import type { Principal } from "@toolwright/engine";
import { operatorPermissions } from "../local-owner.ts";

type Believe = (principal: Principal, request: Request) => boolean | Promise<boolean>;

/** A user answers approvals and administers only from where a person may be: a command that a tool started is nobody's hand (R-AP-11). */
export function believedOperator(believe: Believe): NonNullable<RestDoorOptions["operator"]> {
  return async (principal, request) => {
    if (principal.actor.kind !== "user") return principal;
    if (await believe(principal, request)) return { ...principal, interactive: principal.interactive !== false };
    const permissions = principal.permissions.filter((permission) => !operatorPermissions.includes(permission));
    return { ...principal, interactive: false, permissions };
  };
}
