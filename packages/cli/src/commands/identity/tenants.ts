import type { TenantStore } from "@toolwright/engine/ports";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import type { CommonOptions } from "../../settings.ts";
import { minuteOf, withTenants } from "../context/with-identity.ts";

export function create(io: Io, options: CommonOptions & { readonly name?: string }, [tenant = ""]: readonly string[]): Promise<number> {
  return withTenants(io, options, async (tenants) => {
    const made = await tenants.create({ tenant, name: options.name ?? tenant });
    if (options.json) io.out(`${JSON.stringify(made, null, 2)}\n`);
    else io.out(`Made the tenant ${tenant}. Ask its first owner in: toolwright users invite <e-mail> --role owner --tenant ${tenant}\n`);
    return exitCodes.done;
  });
}

export function list(io: Io, options: CommonOptions): Promise<number> {
  return withTenants(io, options, async (tenants) => {
    const records = await tenants.list();
    const rows = records.map(({ tenant, suspendedAt, createdAt, name }) => [
      tenant,
      suspendedAt === undefined ? "active" : `suspended ${minuteOf(suspendedAt)}`,
      minuteOf(createdAt),
      name,
    ]);
    io.out(`${options.json ? JSON.stringify(records, null, 2) : renderTable(["tenant", "state", "made", "name"], rows, io.columns)}\n`);
    return exitCodes.done;
  });
}

export function suspend(io: Io, options: CommonOptions, [tenant = ""]: readonly string[]): Promise<number> {
  return withTenants(io, options, async (tenants) => {
    await tenants.suspend(tenant);
    if (options.json) io.out(`${await recordOf(tenants, tenant)}\n`);
    io.err(`Suspended ${tenant}: nobody of it gets in from now on. toolwright tenants resume ${tenant} takes it back.\n`);
    return exitCodes.done;
  });
}

export function resume(io: Io, options: CommonOptions, [tenant = ""]: readonly string[]): Promise<number> {
  return withTenants(io, options, async (tenants) => {
    await tenants.resume(tenant);
    if (options.json) io.out(`${await recordOf(tenants, tenant)}\n`);
    io.err(`${tenant} goes on.\n`);
    return exitCodes.done;
  });
}

async function recordOf(tenants: TenantStore, tenant: string): Promise<string> {
  return JSON.stringify(await tenants.get(tenant), null, 2);
}
