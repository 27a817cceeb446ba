import type { Identity } from "@toolwright/postgres";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import type { CommonOptions } from "../../settings.ts";
import { minuteOf, withIdentity } from "../context/with-identity.ts";

export function create(io: Io, options: CommonOptions & { readonly name?: string }, [tenant = ""]: readonly string[]): Promise<number> {
  return withIdentity(io, options, async (identity) => {
    const made = await identity.createTenant({ tenant, name: options.name ?? tenant });
    if (options.json) io.out(`${JSON.stringify(made, null, 2)}\n`);
    else io.out(`Made the tenant ${tenant}. Ask its first owner in: toolwright users invite <e-mail> --role owner --tenant ${tenant}\n`);
    return exitCodes.done;
  });
}

export function list(io: Io, options: CommonOptions): Promise<number> {
  return withIdentity(io, options, async (identity) => {
    const tenants = await identity.listTenants();
    const rows = tenants.map(({ tenant, suspendedAt, createdAt, name }) => [
      tenant,
      suspendedAt === undefined ? "active" : `suspended ${minuteOf(suspendedAt)}`,
      minuteOf(createdAt),
      name,
    ]);
    io.out(`${options.json ? JSON.stringify(tenants, null, 2) : renderTable(["tenant", "state", "made", "name"], rows, io.columns)}\n`);
    return exitCodes.done;
  });
}

export function suspend(io: Io, options: CommonOptions, [tenant = ""]: readonly string[]): Promise<number> {
  return withIdentity(io, options, async (identity) => {
    await identity.suspendTenant(tenant);
    if (options.json) io.out(`${await recordOf(identity, tenant)}\n`);
    io.err(`Suspended ${tenant}: nobody of it gets in from now on. toolwright tenants resume ${tenant} takes it back.\n`);
    return exitCodes.done;
  });
}

export function resume(io: Io, options: CommonOptions, [tenant = ""]: readonly string[]): Promise<number> {
  return withIdentity(io, options, async (identity) => {
    await identity.resumeTenant(tenant);
    if (options.json) io.out(`${await recordOf(identity, tenant)}\n`);
    io.err(`${tenant} goes on.\n`);
    return exitCodes.done;
  });
}

async function recordOf(identity: Identity, name: string): Promise<string> {
  const tenants = await identity.listTenants();
  return JSON.stringify(
    tenants.find(({ tenant }) => tenant === name),
    null,
    2,
  );
}
