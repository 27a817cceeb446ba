import {
  type AnchoredHead,
  type ChainEnd,
  chainStart,
  checkChain,
  type Fault,
  type SessionHead,
  type SessionReport,
  type VerifyOptions,
} from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { pageHeads, readEvents, readHeads } from "./event-queries.ts";

const eventsAtOnce = 2_000;
const keyOf = ({ tenant, session }: Pick<SessionHead, "tenant" | "session">) => `${tenant}\n${session}`;

/** Checks chains from their beginning, one report a session; what is wrong is told, not thrown. */
export async function* verifyLog(database: Database, { anchor, ...filter }: VerifyOptions): AsyncGenerator<SessionReport> {
  const wanted = (anchor?.heads ?? []).filter(
    ({ tenant, session }) => (filter.tenant ?? tenant) === tenant && (filter.session ?? session) === session,
  );
  const anchored = new Map(wanted.map((head) => [keyOf(head), head]));
  for await (const head of pageHeads((page) => database.asSystem((query) => readHeads(query, page)), filter)) {
    yield await verifySession(database, head, anchored.get(keyOf(head)));
    anchored.delete(keyOf(head));
  }
  for (const { tenant, session, sequence } of anchored.values()) yield { tenant, session, events: 0, faults: [goneSession(sequence)] };
  yield* findHeadless(database, filter);
}

async function verifySession(database: Database, head: SessionHead, anchored: AnchoredHead | undefined): Promise<SessionReport> {
  const { tenant, session, removed } = head;
  const faults: Fault[] = [];
  if (removed) faults.push(...(await checkBeginning(database, head, removed.through, anchored)));
  const begin = removed ? { sequence: removed.through, hash: removed.hash } : chainStart;
  let end = begin;
  let count = 0;
  for (;;) {
    const events = await database.asSystem((query) => readEvents(query, { tenant, session, after: end.sequence, limit: eventsAtOnce }));
    const checked = checkChain(events, end);
    faults.push(...checked.faults);
    faults.push(...events.flatMap((stored) => checkAnchor(stored, anchored)));
    end = checked.end;
    count += events.length;
    if (events.length < eventsAtOnce) break;
  }
  if (anchored && anchored.sequence === begin.sequence) faults.push(...checkAnchor(begin, anchored));
  faults.push(...(await checkEnd(database, head, end, anchored)));
  return { tenant, session, events: count, faults, ...(removed && { removed: { through: removed.through, at: removed.at } }) };
}

/** Retention takes whole sessions: what it took leaves nothing behind, and cannot end before a head that was there. */
async function checkBeginning(
  database: Database,
  { tenant, session }: SessionHead,
  through: number,
  anchored: AnchoredHead | undefined,
): Promise<readonly Fault[]> {
  const [left] = await database.asSystem((query) => readEvents(query, { tenant, session, after: 0, limit: 1 }));
  if (left && left.sequence <= through)
    return [
      { kind: "added", sequence: left.sequence, message: `Event ${left.sequence} is there, although events to ${through} were removed.` },
    ];
  if (anchored?.removed === undefined || through === anchored.removed || through >= anchored.sequence) return [];
  const message = `Events to ${through} are said to be removed by retention, which would have taken event ${anchored.sequence}, too.`;
  return [{ kind: "removed", sequence: anchored.removed + 1, message }];
}

function checkAnchor({ sequence, hash }: ChainEnd, anchored: AnchoredHead | undefined): readonly Fault[] {
  if (!anchored || anchored.sequence !== sequence || anchored.hash === hash) return [];
  return [{ kind: "rewritten", sequence, message: `Event ${sequence} is not the one that was anchored: the chain was rewritten.` }];
}

/** The session knows its last event; the log may have grown meanwhile, so that is looked up again. */
async function checkEnd(
  database: Database,
  { tenant, session, ...then }: SessionHead,
  end: ChainEnd,
  anchored: AnchoredHead | undefined,
): Promise<readonly Fault[]> {
  const last = Math.max(then.sequence, anchored?.sequence ?? 0);
  if (end.sequence < last) {
    const from = end.sequence + 1;
    const which = from === last ? `Event ${last}, the newest, is missing.` : `Events ${from} to ${last}, the newest, are missing.`;
    return [{ kind: "truncated", sequence: from, message: which }];
  }
  if (end.sequence === then.sequence && end.hash === then.hash) return [];
  const [now] = await database.asSystem((query) => readHeads(query, { tenant, session }));
  if (now && now.sequence >= end.sequence && end.sequence > then.sequence) return [];
  const message = `Event ${end.sequence} is not the last one that the session knows (event ${now?.sequence ?? 0}).`;
  return [{ kind: end.sequence === then.sequence ? "rewritten" : "added", sequence: end.sequence, message }];
}

function goneSession(sequence: number): Fault {
  return { kind: "session_removed", sequence, message: `The whole session is missing; ${sequence} events were anchored.` };
}

/** Sessions that have events and no row of their own. */
async function* findHeadless(database: Database, { tenant, session }: VerifyOptions): AsyncGenerator<SessionReport> {
  const found = await database.asSystem((query) =>
    query
      .selectFrom("toolwright.events as event")
      .select(["event.tenant", "event.session"])
      .distinct()
      .$if(tenant !== undefined, (some) => some.where("event.tenant", "=", tenant ?? ""))
      .$if(session !== undefined, (some) => some.where("event.session", "=", session ?? ""))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("toolwright.sessions as kept")
              .select("kept.session")
              .whereRef("kept.tenant", "=", "event.tenant")
              .whereRef("kept.session", "=", "event.session"),
          ),
        ),
      )
      .execute(),
  );
  const message = "The session has events, and the row that knows its last one is missing.";
  for (const head of found) yield { ...head, events: 0, faults: [{ kind: "added", sequence: 1, message }] };
}
