import { createEngine } from "@toolwright/engine";
import { findOperation } from "@toolwright/engine/operations";
import type { SecretAdmin, SecretStore } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import { cliPrincipal } from "../../caller.ts";
import type { Io } from "../../io.ts";
import { cliSessionName } from "../../session-name.ts";
import { readSettings } from "../../settings.ts";
import type { Operate } from "./operate.ts";
import { operateRemotely, type RemoteOptions } from "./operate-remotely.ts";
import { type TenantOptions, withStore } from "./with-store.ts";

interface Options extends TenantOptions, RemoteOptions {
  /** True where the operations are about secrets: they need the master keys of this machine when one is opened or sealed. */
  readonly secrets?: boolean;
}

/** Operations on what the store keeps, without tools and policy, or those of another server; then there is no store here. */
export async function withOperations<Result>(
  io: Io,
  options: Options,
  use: (operate: Operate, store?: Store) => Promise<Result>,
): Promise<Result> {
  if (options.server !== undefined) return use(operateRemotely(io, options));
  return withStore(io, options, async (store) => {
    const secrets = options.secrets ? await openSecrets(store, io, options) : undefined;
    return operateOn(store, io, { tenant: options.tenant, secrets, use: (operate) => use(operate, store) });
  });
}

async function openSecrets(store: Store, io: Io, options: Options): Promise<SecretStore & SecretAdmin> {
  const { openKeyring } = await import("@toolwright/server/machine");
  return store.openSecrets(openKeyring(io, readSettings(options, io), { whenNeeded: true }));
}

interface Operating<Result> {
  readonly tenant: string | undefined;
  readonly secrets?: (SecretStore & SecretAdmin) | undefined;
  readonly use: (operate: Operate) => Promise<Result>;
}

/** As whoever runs the command, who reaches the store anyway: in whichever tenant they may do all of it, and give all of it to others. */
export async function operateOn<Result>(store: Store, io: Io, { tenant, secrets, use }: Operating<Result>): Promise<Result> {
  const { approvals, artifacts, clock, events, log, runs, sessions, tenants, turns, usage, limiter, limits, catalogue, hooks, rooms } =
    store;
  const administration = { log, runs, turns, usage, limits, tenants, catalogue, hooks, rooms, identity: store.openIdentity(), secrets };
  const engine = createEngine({
    approvals,
    artifacts,
    clock,
    events,
    limiter,
    sessions,
    tenants,
    ...(secrets && { secrets }),
    administration,
  });
  const principal = { ...cliPrincipal(io, true), ...(tenant !== undefined && { tenant }) };
  try {
    // What only reads leaves no session behind.
    const operate: Operate = async (name, input) => {
      const isRead = findOperation(name).effect === "read";
      return engine.operate(principal, name, input, isRead ? {} : { session: await engine.openSession(principal, cliSessionName()) });
    };
    return await use(operate);
  } finally {
    await engine.close();
  }
}
