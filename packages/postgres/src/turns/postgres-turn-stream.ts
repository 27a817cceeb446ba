import type { Json } from "@toolwright/engine";
import type { TurnPart, TurnRef, TurnStream } from "@toolwright/engine/ports";
import { sql } from "kysely";
import { callFunction } from "../database/call-function.ts";
import type { Database, Query } from "../database/database.ts";

/** Announced with the turn's id: there is more of it. */
const partsTopic = "turn-parts";

/** What people see of turns, in PostgreSQL. */
export function createPostgresTurnStream(database: Database): TurnStream {
  const add = async ({ tenant, id }: TurnRef, chunks: readonly Json[], isWhole: boolean): Promise<void> => {
    await callFunction(database, sql`toolwright.add_part(${tenant}, ${id}, ${isWhole}, ${JSON.stringify(chunks)}::json)`);
    database.announce({ topic: partsTopic, tenant, id });
  };
  return {
    add: (ref, chunks) => add(ref, chunks, false),
    settle: (ref, chunks) => add(ref, chunks, true),
    read: (ref, after) => database.asTenant(ref.tenant, (query) => readParts(query, ref, after)),
    follow: ({ tenant, id }, listener) =>
      database.listen(partsTopic, (announcement) => {
        if (!announcement || (announcement.tenant === tenant && announcement.id === id)) listener();
      }),
  };
}

async function readParts(query: Query, { tenant, id }: TurnRef, after: number): Promise<readonly TurnPart[]> {
  const rows = await query
    .selectFrom("toolwright.turn_parts")
    .select(["position", "since", "chunks"])
    .where("tenant", "=", tenant)
    .where("turn", "=", id)
    .where("position", ">", after)
    .orderBy("position")
    .execute();
  return rows.map(({ position, since, chunks }) => ({ position, chunks, ...(since !== null && { since }) }));
}
