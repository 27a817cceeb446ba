import type { StoredEvent } from "@toolwright/engine";
import type { EventPage, SessionHead } from "@toolwright/engine/ports";
import type { Query } from "../database/database.ts";
import { type EventRow, toStoredEvent } from "./event-row.ts";

const defaultPage = 10_000;

/** Events of one session after a sequence, in order. */
export async function readEvents(query: Query, page: EventPage): Promise<readonly StoredEvent[]> {
  const rows = await selectEvents(query, page).execute();
  return (rows as readonly EventRow[]).map(toStoredEvent);
}

/** Exported so that its plan can be looked at. */
export function selectEvents(query: Query, { tenant, session, after = 0, limit = defaultPage, call, output = true }: EventPage) {
  return query
    .selectFrom("toolwright.events")
    .selectAll()
    .where("tenant", "=", tenant)
    .where("session", "=", session)
    .where("sequence", ">", after)
    .orderBy("sequence")
    .limit(limit)
    .$if(call !== undefined, (some) => some.where("call_id", "=", call ?? ""))
    .$if(!output, (some) => some.where("type", "<>", "tool.output_appended"));
}

export interface HeadPage {
  readonly tenant?: string | undefined;
  readonly session?: string | undefined;
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly writtenSince?: number | undefined;
  /** Reads on after this one. */
  readonly after?: Pick<SessionHead, "tenant" | "session">;
  readonly limit?: number;
}

/** Heads by tenant and name. Run as a tenant, those of that tenant. */
export async function readHeads(
  query: Query,
  { tenant, session, writtenSince, after, limit = defaultPage }: HeadPage,
): Promise<readonly SessionHead[]> {
  const rows = await query
    .selectFrom("toolwright.sessions")
    .selectAll()
    .$if(tenant !== undefined, (some) => some.where("tenant", "=", tenant ?? ""))
    .$if(session !== undefined, (some) => some.where("session", "=", session ?? ""))
    .$if(writtenSince !== undefined, (some) => some.where("written_at", ">=", new Date(writtenSince ?? 0)))
    .$if(after !== undefined, (some) =>
      some.where(({ eb, refTuple, tuple }) => eb(refTuple("tenant", "session"), ">", tuple(after?.tenant ?? "", after?.session ?? ""))),
    )
    .orderBy("tenant")
    .orderBy("session")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    tenant: row.tenant,
    session: row.session,
    sequence: row.sequence,
    hash: row.hash,
    lastAt: row.last_at.getTime(),
    writtenAt: row.written_at.getTime(),
    ...(row.removed_at && { removed: { through: row.removed_through, hash: row.removed_hash, at: row.removed_at.getTime() } }),
  }));
}

/** Every head, a page at a time. */
export async function* pageHeads(read: (page: HeadPage) => Promise<readonly SessionHead[]>, filter: HeadPage): AsyncGenerator<SessionHead> {
  let after: SessionHead | undefined;
  for (;;) {
    const heads: readonly SessionHead[] = await read({ ...filter, limit: defaultPage, ...(after && { after }) });
    yield* heads;
    after = heads.at(-1);
    if (heads.length < defaultPage || !after) return;
  }
}
