import { type Hook, type Hooks, hookTaken } from "@toolwright/engine/ports";
import type { Selectable } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import type { HookTables } from "./tables.ts";

/** Hooks in PostgreSQL. Each function is one transaction. */
export function createPostgresHooks(database: Database): Hooks {
  return {
    async add({ tenant, id, name, agent, channel, target, credential, secret, principal, createdAt }) {
      const row = {
        ...{ tenant, hook: id, name, agent: storableText(agent), channel, secret: storableText(secret) },
        ...{ target: storableOrNull(target), credential: storableOrNull(credential) },
        ...{ principal: JSON.stringify(principal), created_at: new Date(createdAt) },
      };
      const added = await database.asTenant(tenant, (query) =>
        query
          .insertInto("toolwright.hooks")
          .values(row)
          .onConflict((conflict) => conflict.columns(["tenant", "name"]).doNothing())
          .returning("hook")
          .executeTakeFirst(),
      );
      if (!added) throw hookTaken(name);
    },
    list: (tenant) =>
      database.asTenant(tenant, async (query) => {
        const rows = await query.selectFrom("toolwright.hooks").selectAll().where("tenant", "=", tenant).orderBy("name").execute();
        return rows.map(toHook);
      }),
    remove: ({ tenant, id }) =>
      database.asTenant(tenant, async (query) => {
        const removed = await query
          .deleteFrom("toolwright.hooks")
          .where("tenant", "=", tenant)
          .where("hook", "=", storableText(id))
          .executeTakeFirst();
        return removed.numDeletedRows > 0n;
      }),
    // Nobody is known yet: whoever sends has to show that the hook's secret is theirs.
    find: (id) =>
      database.asSystem(async (query) => {
        const row = await selectHook(query, id).executeTakeFirst();
        return row && toHook(row);
      }),
  };
}

/** Exported so that its plan can be looked at. */
export function selectHook(query: Query, id: string) {
  return query
    .selectFrom("toolwright.hooks as h")
    .innerJoin("toolwright.tenants as t", "t.tenant", "h.tenant")
    .selectAll("h")
    .where("h.hook", "=", storableText(id))
    .where("t.suspended_at", "is", null);
}

const storableOrNull = (text: string | undefined) => (text === undefined ? null : storableText(text));

function toHook({ hook: id, target, credential, created_at, ...row }: Selectable<HookTables["toolwright.hooks"]>): Hook {
  return {
    ...{ ...row, id, createdAt: created_at.getTime() },
    ...(target !== null && { target }),
    ...(credential !== null && { credential }),
  };
}
