import { userInfo } from "node:os";
import { ANSWER_APPROVALS, EXPLAIN_CATALOGUE, type Principal, type Scope } from "@toolwright/engine";
import type { Toolwright } from "./compose.ts";
import type { Io } from "./io.ts";

/** The tenant of a machine that serves one. */
export const localTenant = "default";

/** The session of one-off calls of the command line. */
export const cliSession = "cli";

/** The user of the operating system: whoever may run the command may also answer for this machine. */
export function localUser({ env }: Pick<Io, "env">): string {
  return env.USER ?? userInfo().username;
}

/** `interactive` says that somebody can be asked now. */
export function cliPrincipal(io: Pick<Io, "env" | "isInteractive">, interactive = io.isInteractive): Principal {
  return {
    tenant: localTenant,
    actor: { kind: "user", id: localUser(io) },
    permissions: [ANSWER_APPROVALS, EXPLAIN_CATALOGUE],
    door: "cli",
    source: "cli",
    interactive,
  };
}

export function cliScope({ engine }: Pick<Toolwright, "engine">, io: Io, interactive?: boolean): Scope {
  return engine.scope(cliPrincipal(io, interactive), { session: cliSession });
}
