import type { Json } from "@toolwright/engine";
import type { TurnPart, TurnRef, TurnStream } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";

/** Announced with the turn's id: there is more of it. */
const partsTopic = "turn-parts";

/** What people see of turns, in PostgreSQL. Each function is one transaction. */
export function createPostgresTurnStream(database: Database): TurnStream {
  const change = async (ref: TurnRef, work: (query: Query) => Promise<unknown>): Promise<void> => {
    await database.asTenant(ref.tenant, work);
    database.announce({ topic: partsTopic, tenant: ref.tenant, id: ref.id });
  };
  return {
    add: (ref, chunks) => change(ref, (query) => addPart(query, ref, { chunks, since: null })),
    settle: (ref, chunks) =>
      change(ref, async (query) => {
        const since = await removePieces(query, ref);
        await addPart(query, ref, { chunks, since });
      }),
    read: (ref, after) => database.asTenant(ref.tenant, (query) => readParts(query, ref, after)),
    follow: ({ tenant, id }, listener) =>
      database.listen(partsTopic, (announcement) => {
        if (!announcement || (announcement.tenant === tenant && announcement.id === id)) listener();
      }),
  };
}

interface NewPart {
  readonly chunks: readonly Json[];
  /** Null for a piece; of a whole step whose pieces are gone where they began, and 0 for one that had none. */
  readonly since: number | null;
}

/**
 * Positions go on from those that were removed. The commit waits for no disk: the next one that does takes it along, and a database that crashes before
 * loses what people saw of half a second.
 */
async function addPart(query: Query, { tenant, id }: TurnRef, { chunks, since }: NewPart): Promise<void> {
  await sql`with last as (
      update toolwright.turns set parts = parts + 1 where tenant = ${tenant} and turn = ${id} returning parts
    ) insert into toolwright.turn_parts (tenant, turn, position, since, chunks)
      select ${tenant}, ${id}, last.parts, case when ${since}::int = 0 then last.parts else ${since}::int end, ${JSON.stringify(chunks)}::json
      from last, (select set_config('synchronous_commit', 'off', true)) as unsynced`.execute(query);
}

/** Where the pieces began that were there, or 0. */
async function removePieces(query: Query, { tenant, id }: TurnRef): Promise<number> {
  const { rows } = await sql<{ since: number | null }>`with gone as (
      delete from toolwright.turn_parts where tenant = ${tenant} and turn = ${id} and since is null returning position
    ) select min(position) as since from gone`.execute(query);
  return rows[0]?.since ?? 0;
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
