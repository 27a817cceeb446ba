import { userInfo } from "node:os";
import type { Engine, Principal } from "@toolwright/engine";
import { askedPermissions, ownPermissions } from "@toolwright/engine/catalogue";
import { RUN_AGENTS } from "@toolwright/engine/ports";
import { localTenant } from "./state/server-record.ts";

/** What whoever owns the machine may do beside calling tools and running agents: all of it, as they reach the store anyway. */
export const operatorPermissions: readonly string[] = ownPermissions.filter((permission) => permission !== RUN_AGENTS);

export { localTenant };

/**
 * The user of the operating system: whoever may run the command may also answer for this machine. Not the variable USER, with which
 * one person could approve as several.
 */
export function localUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without a name, as in many containers.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

/** The user of the operating system, who gives a command. `interactive` says that somebody can be asked now. */
export const commandingOperator = (interactive: boolean, tenant: string = localTenant): Principal => ({
  tenant,
  actor: { kind: "user", id: localUser() },
  permissions: operatorPermissions,
  door: "cli",
  source: "cli",
  interactive,
});

/**
 * Whoever gives commands on this machine, and the one local owner of a server without sign-in: no member of any tenant, and nobody could
 * take a right away from them here.
 */
export function isOperator({ tenant, actor, door, delegated }: Principal): boolean {
  if (delegated || tenant !== localTenant || actor.kind !== "user") return false;
  return door === "cli" || actor.id === localUser();
}

/** With all that tools ask for, now and later: nobody could take a right away from whoever owns this machine. */
export function withAskedPermissions(engine: Pick<Engine, "snapshot">, principal: Principal): Principal {
  const { permissions } = principal;
  let known: { readonly asked: readonly string[]; readonly all: readonly string[] } | undefined;
  return {
    ...principal,
    get permissions() {
      const asked = askedPermissions(engine);
      if (known?.asked !== asked) known = { asked, all: [...permissions, ...asked] };
      return known.all;
    },
  };
}
