import type { Actor, StoredGrant } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine/errors";
import type { GrantFilter, GrantRecord, GrantStore } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { isStorable } from "../database/storable-text.ts";

/** Grants in PostgreSQL. A use is one conditional update, so the row's lock counts them one after the other. */
export function createPostgresGrantStore(database: Database): GrantStore {
  const change = async (tenant: string, id: string, work: (query: Query) => Promise<boolean>): Promise<boolean> => {
    const changed = isStorable(id) && (await database.asTenant(tenant, work));
    return changed;
  };
  return {
    async create(record) {
      const { tenant, id } = record;
      if (!(await change(tenant, id, (query) => insertGrant(query, record))))
        throw new ToolwrightError("internal", `The grant "${id}" could not be stored: its id is taken or not a plain name.`);
    },
    get: async (tenant, id) => (isStorable(id) ? database.asTenant(tenant, (query) => findGrant(query, tenant, id)) : undefined),
    list: (tenant, filter = {}) => database.asTenant(tenant, (query) => listGrants(query, tenant, filter)),
    use: (tenant, id, at) => change(tenant, id, (query) => countUse(query, { tenant, id, at: new Date(at) })),
    revoke: (tenant, id, { by, at }) =>
      change(tenant, id, async (query) => {
        const { numUpdatedRows } = await query
          .updateTable("toolwright.grants")
          .set({ revoked_at: new Date(at), revoked_by: JSON.stringify(by) })
          .where("tenant", "=", tenant)
          .where("grant_id", "=", id)
          .where("revoked_at", "is", null)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),
  };
}

async function insertGrant(query: Query, record: GrantRecord): Promise<boolean> {
  const { numInsertedOrUpdatedRows: inserted } = await query
    .insertInto("toolwright.grants")
    .values({
      tenant: record.tenant,
      grant_id: record.id,
      tool: record.tool,
      record: JSON.stringify(record),
      created_at: new Date(record.createdAt),
      expires_at: new Date(record.expiresAt),
      max_uses: record.maxUses,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (inserted ?? 0n) > 0n;
}

interface GrantRow {
  readonly record: GrantRecord;
  readonly used: number;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
  readonly revoked_by: Actor | null;
}

const columns = ["record", "used", "last_used_at", "revoked_at", "revoked_by"] as const;

function toGrant({ record, used, last_used_at: last, revoked_at: at, revoked_by: by }: GrantRow): StoredGrant {
  return { record, used, ...(last && { lastUsedAt: last.getTime() }), ...(at && by && { revoked: { by, at: at.getTime() } }) };
}

async function findGrant(query: Query, tenant: string, id: string): Promise<StoredGrant | undefined> {
  const row = await query
    .selectFrom("toolwright.grants")
    .select(columns)
    .where("tenant", "=", tenant)
    .where("grant_id", "=", id)
    .executeTakeFirst();
  return row && toGrant(row);
}

async function listGrants(query: Query, tenant: string, { liveAt, tool }: GrantFilter): Promise<readonly StoredGrant[]> {
  let wanted = query.selectFrom("toolwright.grants").select(columns).where("tenant", "=", tenant);
  if (tool !== undefined) wanted = wanted.where("tool", "=", tool);
  if (liveAt !== undefined)
    wanted = wanted.where("revoked_at", "is", null).where("expires_at", ">", new Date(liveAt)).whereRef("used", "<", "max_uses");
  const rows = await wanted.orderBy("created_at").orderBy("grant_id").execute();
  return rows.map(toGrant);
}

async function countUse(query: Query, { tenant, id, at }: { tenant: string; id: string; at: Date }): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("toolwright.grants")
    .set((grant) => ({ used: grant("used", "+", 1), last_used_at: at }))
    .where("tenant", "=", tenant)
    .where("grant_id", "=", id)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", at)
    .whereRef("used", "<", "max_uses")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
