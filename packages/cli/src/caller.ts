import type { Engine, Principal, Scope } from "@toolwright/engine";
import { commandingOperator, localTenant, withAskedPermissions } from "@toolwright/server/local";
import type { Io } from "./io.ts";
import { cliSessionName } from "./session-name.ts";

/** `interactive` says that somebody can be asked now. */
export const cliPrincipal = (io: Pick<Io, "isInteractive">, interactive = io.isInteractive): Principal => commandingOperator(interactive);

interface CliScopeOptions {
  readonly interactive?: boolean | undefined;
  /** Default: this machine's. */
  readonly tenant?: string | undefined;
  /** What is asked in that agent's name. */
  readonly agent?: string | undefined;
}

/** The catalogue as the command line has it, in a session of its own. */
export async function cliScope(
  { engine }: { readonly engine: Engine },
  io: Pick<Io, "embedding" | "isInteractive">,
  options: CliScopeOptions = {},
): Promise<Scope> {
  if (io.embedding) return engine.scope({ ...io.embedding.principal, door: "cli", source: "cli" }, { session: io.embedding.session });
  const principal = askingPrincipal({ engine }, io, options);
  return engine.scope(principal, { session: await engine.openSession(principal, cliSessionName()) });
}

/** Whoever runs the command, with what the tools there ask for. */
export function askingPrincipal(
  { engine }: { readonly engine: Engine },
  io: Pick<Io, "isInteractive">,
  { interactive, tenant = localTenant, agent }: CliScopeOptions = {},
): Principal {
  return withAskedPermissions(engine, { ...cliPrincipal(io, interactive), tenant, ...(agent !== undefined && { agent }) });
}
