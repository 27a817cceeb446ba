import { createEngine } from "@toolwright/engine";
import type { AgentFiles } from "@toolwright/engine/catalogue";
import type { MasterKeys, SecretAdmin, SecretStore } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import { openAgentFiles } from "@toolwright/server/agent-files";
import { productSubjects } from "@toolwright/server/subjects";
import { cliPrincipal } from "../../caller.ts";
import type { Io } from "../../io.ts";
import { cliSessionName } from "../../session-name.ts";
import { readSettings } from "../../settings.ts";
import type { Follow, Operate } from "./operate.ts";
import { openServer, type RemoteOptions } from "./operate-remotely.ts";
import { type TenantOptions, withStore } from "./with-store.ts";

interface Options extends TenantOptions, RemoteOptions {
  /** True where the operations are about secrets: they need the master keys of this machine when one is opened or sealed. */
  readonly secrets?: boolean;
}

/** Operations on what the store keeps, without tools and policy, or those of another server; then there is no store here. */
export async function withOperations<Result>(
  io: Io,
  options: Options,
  use: (operate: Operate, follow: Follow) => Promise<Result>,
): Promise<Result> {
  if (options.server !== undefined) {
    const { operate, follow } = openServer(io, options);
    return use(operate, follow);
  }
  return withStore(io, { ...options, decides: false }, async (store) => {
    const opened = options.secrets ? await openSecrets(store, io, options) : {};
    const agentFiles = openAgentFiles(readSettings(options, io));
    return operateOn(store, io, { tenant: options.tenant, ...opened, agentFiles, use });
  });
}

async function openSecrets(store: Store, io: Io, options: Options): Promise<Pick<Operating<never>, "masterKeys" | "secrets">> {
  const { masterKeys, openKeyring } = await import("@toolwright/server/machine");
  const keyring = openKeyring(io, readSettings(options, io), { whenNeeded: true });
  const secrets = await store.openSecrets(keyring);
  return { secrets, masterKeys: masterKeys(keyring, secrets) };
}

interface Operating<Result> {
  readonly tenant: string | undefined;
  readonly secrets?: (SecretStore & SecretAdmin) | undefined;
  readonly agentFiles?: AgentFiles;
  readonly masterKeys?: MasterKeys | undefined;
  readonly use: (operate: Operate, follow: Follow) => Promise<Result>;
}

/** As whoever runs the command, who reaches the store anyway: in whichever tenant they may do all of it, and give all of it to others. */
async function operateOn<Result>(
  store: Store,
  io: Io,
  { tenant, secrets, masterKeys, agentFiles, use }: Operating<Result>,
): Promise<Result> {
  const { approvals, artifacts, clock, events, limiter, sessions, tenants } = store;
  const { accounts, catalogue, hooks, limits, log, retention, rooms, runs, turns, usage } = store;
  const administration = {
    ...{ accounts, agentFiles, catalogue, hooks, identity: store.openIdentity(), limits, log },
    ...{ masterKeys, retention, rooms, runs, secrets, tenants, turns, usage },
  };
  const engine = createEngine({
    ...{ approvals, artifacts, clock, events, limiter, sessions, tenants, administration },
    subjects: productSubjects,
    ...(secrets && { secrets }),
  });
  const principal = { ...cliPrincipal(io, true), ...(tenant !== undefined && { tenant }) };
  try {
    // What only reads leaves no session behind.
    const operate: Operate = async (name, input) => {
      const isRead = engine.subjects.find(name).effect === "read";
      const session = isRead ? undefined : await engine.openSession(principal, cliSessionName());
      return engine.operate(principal, name, input, { session, signal: io.signal });
    };
    return await use(operate, (name, input) => engine.follow(principal, name, input, { signal: io.signal }));
  } finally {
    await engine.close();
  }
}
