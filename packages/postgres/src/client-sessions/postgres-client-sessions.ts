import type { ClientSession, ClientSessionName, ClientSessions } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";

/** Sessions of clients in PostgreSQL, for every process that serves them. */
export function createPostgresClientSessions(database: Database): ClientSessions {
  return {
    async put({ tenant, id, owner, opening, usedAt }) {
      await database.asTenant(tenant, (query) =>
        query
          .insertInto("toolwright.client_sessions")
          .values({ tenant, session: id, owner, opening, used_at: new Date(usedAt) })
          .execute(),
      );
    },
    find: (name) => database.asTenant(name.tenant, (query) => findSession(query, name)),
    async touch({ tenant, id }, usedAt) {
      await database.asTenant(tenant, (query) =>
        query
          .updateTable("toolwright.client_sessions")
          .set({ used_at: new Date(usedAt) })
          .where("tenant", "=", tenant)
          .where("session", "=", id)
          .execute(),
      );
    },
    async remove({ tenant, id }) {
      await database.asTenant(tenant, (query) =>
        query.deleteFrom("toolwright.client_sessions").where("tenant", "=", tenant).where("session", "=", id).execute(),
      );
    },
  };
}

async function findSession(query: Query, { tenant, id }: ClientSessionName): Promise<ClientSession | undefined> {
  const row = await query
    .selectFrom("toolwright.client_sessions")
    .select(["owner", sql<string>`opening::text`.as("opening"), "used_at"])
    .where("tenant", "=", tenant)
    .where("session", "=", id)
    .executeTakeFirst();
  return row && { tenant, id, owner: row.owner, opening: row.opening, usedAt: row.used_at.getTime() };
}
