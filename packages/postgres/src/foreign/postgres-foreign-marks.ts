import { type ForeignMark, type ForeignMarks, keyOfMark, mostForeignMarks, type SessionName, sha256 } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";

/** Sessions whose places this process remembers, so that none is written twice. */
const mostKnown = 10_000;

/** Marks in PostgreSQL, of every process. */
export function createPostgresForeignMarks(database: Database): ForeignMarks {
  const known = new Map<string, Set<string>>();
  const placesOf = ({ tenant, id }: SessionName): Set<string> => {
    const key = JSON.stringify([tenant, id]);
    const places = known.get(key) ?? new Set();
    known.delete(key);
    known.set(key, places);
    for (const oldest of known.keys()) {
      if (known.size <= mostKnown) break;
      known.delete(oldest);
    }
    return places;
  };
  return {
    async add(session, marks) {
      const places = placesOf(session);
      const fresh = new Map<string, ForeignMark>();
      for (const mark of marks) {
        const source = sha256(keyOfMark(mark));
        if (!places.has(source) && !fresh.has(source)) fresh.set(source, mark);
      }
      if (fresh.size === 0 || places.size >= mostForeignMarks) return;
      await database.asTenant(session.tenant, (query) => insertMarks(query, session, fresh));
      for (const source of fresh.keys()) places.add(source);
    },
    of: (tenant, sessions) =>
      sessions.length === 0 ? Promise.resolve([]) : database.asTenant(tenant, (query) => selectMarks(query, tenant, sessions)),
  };
}

/** As many as the session has room for. */
async function insertMarks(query: Query, { tenant, id }: SessionName, marks: ReadonlyMap<string, ForeignMark>): Promise<void> {
  const column = (pick: (mark: ForeignMark) => string | null) => [...marks.values()].map(pick);
  const session = storableText(id);
  const places = column(({ place }) => (place === undefined ? null : JSON.stringify(place)));
  await sql`
    insert into toolwright.foreign_marks (tenant, session, source, kind, place, call_id, tool, at)
    select ${tenant}, ${session}, source, kind, place::json, call_id, tool, to_timestamp(at / 1000e0::float8)
    from unnest(${[...marks.keys()]}::text[], ${column(({ kind }) => kind)}::text[], ${places}::text[],
      ${column(({ callId }) => callId)}::text[], ${column(({ tool }) => tool)}::text[], ${column(({ at }) => String(at))}::text[]::bigint[])
      with ordinality as given(source, kind, place, call_id, tool, at, number)
    where number <= ${mostForeignMarks} - (select count(*) from toolwright.foreign_marks where tenant = ${tenant} and session = ${session})
    order by number on conflict do nothing`.execute(query);
}

async function selectMarks(query: Query, tenant: string, sessions: readonly string[]): Promise<readonly ForeignMark[]> {
  const rows = await query
    .selectFrom("toolwright.foreign_marks")
    .select(["kind", sql<string | null>`place::text`.as("place"), "call_id", "tool", "at"])
    .where("tenant", "=", tenant)
    .where("session", "in", [...new Set(sessions.map(storableText))])
    .orderBy("at")
    .orderBy("source")
    .execute();
  return rows.map(({ kind, place, call_id: callId, tool, at }) => {
    const mark = { kind, callId, tool, at: at.getTime() };
    return place === null ? mark : { ...mark, place: JSON.parse(place) as string };
  });
}
