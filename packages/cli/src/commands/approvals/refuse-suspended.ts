import type { Scope } from "@toolwright/engine";
import type { Toolwright } from "@toolwright/server";
import { localTenant } from "@toolwright/server/record";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { readSettings } from "../../settings.ts";
import { findLocalServer } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";

/** Nothing runs for a tenant that is suspended, whoever starts it. */
export async function refuseSuspended(
  { principal: { tenant } }: Pick<Scope, "principal">,
  { store }: Pick<Toolwright, "store">,
): Promise<void> {
  if (tenant === localTenant) return;
  if ((await store.tenants.get(tenant))?.suspendedAt !== undefined) throw suspended(tenant);
}

/** Asks the server of this machine, to which every caller is the operator, whom no suspended tenant stops. */
export async function refuseSuspendedThere(io: Io, options: TenantOptions): Promise<void> {
  const { tenant = localTenant } = options;
  if (tenant === localTenant) return;
  const server = await findLocalServer(io, { settings: readSettings(options, io), tenant: localTenant });
  const items = (await server?.operate("tenants.list", {}))?.items ?? [];
  if (items.some((each) => each.tenant === tenant && each.suspendedAt !== undefined)) throw suspended(tenant);
}

const suspended = (tenant: string) =>
  new CliError(`The tenant ${tenant} is suspended, so nothing runs for it. It goes on with: toolwright tenants resume ${tenant}`, {
    exitCode: exitCodes.failed,
  });
