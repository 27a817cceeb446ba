import { userInfo } from "node:os";
import { ANSWER_APPROVALS, type Engine, EXPLAIN_CATALOGUE, type Principal, type Scope } from "@toolwright/engine";
import { askedPermissions } from "@toolwright/engine/catalogue";
import { MANAGE_POLICY, MANAGE_SESSIONS } from "@toolwright/engine/ports";
import type { Io } from "./io.ts";

/** The tenant of a machine that serves one. */
export const localTenant = "default";

/** The session of one-off calls of the command line: one a day, by the calendar of this machine, so that days of the log can be removed. */
export function cliSession(now = new Date()): string {
  return `cli-${now.getFullYear()}-${twoDigits(now.getMonth() + 1)}-${twoDigits(now.getDate())}`;
}

const twoDigits = (number: number) => String(number).padStart(2, "0");

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

/** `interactive` says that somebody can be asked now. */
export function cliPrincipal(io: Pick<Io, "isInteractive">, interactive = io.isInteractive): Principal {
  return {
    tenant: localTenant,
    actor: { kind: "user", id: localUser() },
    permissions: [ANSWER_APPROVALS, EXPLAIN_CATALOGUE, MANAGE_POLICY, MANAGE_SESSIONS],
    door: "cli",
    source: "cli",
    interactive,
  };
}

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

interface CliScopeOptions {
  readonly interactive?: boolean | undefined;
  /** Default: this machine's. */
  readonly tenant?: string | undefined;
  /** What is asked in that agent's name. */
  readonly agent?: string | undefined;
}

export function cliScope(
  { engine }: { readonly engine: Engine },
  io: Pick<Io, "isInteractive">,
  { interactive, tenant = localTenant, agent }: CliScopeOptions = {},
): Scope {
  const principal = { ...cliPrincipal(io, interactive), tenant, ...(agent !== undefined && { agent }) };
  return engine.scope(withAskedPermissions(engine, principal), { session: cliSession() });
}
