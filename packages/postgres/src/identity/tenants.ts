import { ToolwrightError } from "@toolwright/engine";
import type { Database, Query } from "../database/database.ts";
import { announceIdentity } from "./announce-identity.ts";

export interface TenantRecord {
  readonly tenant: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Since when nothing runs for it. */
  readonly suspendedAt?: number;
}

/** Makes a tenant. Throws `identity_refused` when its name is not fit or taken. */
export async function createTenant(database: Database, { tenant, name }: Pick<TenantRecord, "tenant" | "name">): Promise<TenantRecord> {
  if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(tenant))
    throw new ToolwrightError(
      "identity_refused",
      `"${tenant}" is not a name for a tenant. Use up to 63 lower-case letters, digits, - and _, with a letter or digit first.`,
    );
  refuseTitle("tenant", name);
  const made = await database.asSystem((query) =>
    query
      .insertInto("toolwright.tenants")
      .values({ tenant, name, suspended_at: null })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst(),
  );
  if (!made) throw new ToolwrightError("identity_refused", `There is a tenant ${tenant} already. Choose another name.`);
  return toRecord(made);
}

/** What people read of a tenant or a key. Throws `identity_refused` for what a line of a list cannot hold. */
export function refuseTitle(what: "tenant" | "key", name: string): void {
  if (/^[^\p{Cc}\u2028\u2029]{1,100}$/u.test(name) && name.trim() !== "") return;
  throw new ToolwrightError(
    "identity_refused",
    `The name of a ${what} has 1 to 100 characters, without line breaks and control characters.`,
  );
}

export async function listTenants(database: Database): Promise<readonly TenantRecord[]> {
  const rows = await database.asSystem((query) => query.selectFrom("toolwright.tenants").selectAll().orderBy("tenant").execute());
  return rows.map(toRecord);
}

/** Stops everything of a tenant, or with `undefined` lets it go on. */
export async function suspendTenant(database: Database, tenant: string, at: number | undefined): Promise<void> {
  const { numUpdatedRows } = await database.asSystem((query) =>
    query
      .updateTable("toolwright.tenants")
      .set({ suspended_at: at === undefined ? null : new Date(at) })
      .where("tenant", "=", tenant)
      .executeTakeFirst(),
  );
  if (numUpdatedRows === 0n) throw missingTenant(tenant);
  announceIdentity(database, tenant);
}

/** Throws `identity_not_found` when there is no such tenant. */
export async function requireTenant(query: Query, tenant: string): Promise<void> {
  const found = await query.selectFrom("toolwright.tenants").select("tenant").where("tenant", "=", tenant).executeTakeFirst();
  if (!found) throw missingTenant(tenant);
}

function missingTenant(tenant: string): ToolwrightError {
  return new ToolwrightError("identity_not_found", `There is no tenant ${tenant}. toolwright tenants list shows those there are.`);
}

function toRecord(row: { tenant: string; name: string; created_at: Date; suspended_at: Date | null }): TenantRecord {
  const { tenant, name, created_at, suspended_at } = row;
  return { tenant, name, createdAt: created_at.getTime(), ...(suspended_at && { suspendedAt: suspended_at.getTime() }) };
}
