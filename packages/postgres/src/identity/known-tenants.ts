import type { Tenants } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";

/** The tenants of the store. One that was found once is known from then on; any other is looked up each time, as it may have been made since. */
export function createKnownTenants(database: Database): Tenants {
  const known = new Set<string>();
  const look = async (tenant: string) => {
    const row = await database.asSystem((query) =>
      query.selectFrom("toolwright.tenants").select("tenant").where("tenant", "=", tenant).executeTakeFirst(),
    );
    if (row) known.add(tenant);
    return row !== undefined;
  };
  return { has: (tenant) => known.has(tenant) || look(tenant) };
}
