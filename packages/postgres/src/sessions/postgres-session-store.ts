import {
  readSessionCursor,
  type Session,
  type SessionFilter,
  type SessionName,
  type SessionPage,
  type SessionStatus,
  type SessionStore,
  type SessionUsers,
  sessionCursor,
  sessionLimit,
  takenSession,
} from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { toStoreError } from "../database/store-failure.ts";

/** Of sessions that calls used last, whose they are is kept in memory: it never changes. */
const mostKnown = 10_000;

/** Sessions in PostgreSQL: the rows that hold the ends of their chains. The log keeps the time of the last call. */
export function createPostgresSessionStore(database: Database): SessionStore {
  const known = new Map<string, SessionUsers | Promise<SessionUsers>>();
  const keep = (key: string, users: SessionUsers | Promise<SessionUsers>) => {
    known.delete(key);
    const oldest = known.size >= mostKnown ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    known.set(key, users);
    return users;
  };
  return {
    create: (session) => database.asTenant(session.tenant, (query) => insertSession(query, session)),
    ensure(name, at) {
      const key = `${name.tenant}\n${name.id}`;
      const found = known.get(key);
      if (found) return found;
      const asked = database
        .asTenant(name.tenant, (query) => ensureSession(query, name, at))
        .then(
          (users) => keep(key, users),
          (error: unknown) => {
            known.delete(key);
            throw toStoreError(error);
          },
        );
      return keep(key, asked);
    },
    find: (name) => database.asTenant(name.tenant, (query) => findSession(query, name)),
    list: (filter) => database.asTenant(filter.tenant, (query) => listSessions(query, filter)),
    update: (name, { title, status }) =>
      database.asTenant(name.tenant, async (query) => {
        if (title !== undefined || status !== undefined)
          await query
            .updateTable("toolwright.sessions")
            .set({ ...(title !== undefined && { title: storableText(title) }), ...(status !== undefined && { status }) })
            .where("tenant", "=", name.tenant)
            .where("session", "=", storableText(name.id))
            .execute();
        return findSession(query, name);
      }),
  };
}

async function insertSession(query: Query, { tenant, id, owner, agent, kind, title, status, createdAt, usedAt }: Session): Promise<void> {
  const { numInsertedOrUpdatedRows = 0n } = await query
    .insertInto("toolwright.sessions")
    .values({
      tenant,
      session: storableText(id),
      owner: textOf(owner),
      agent: textOf(agent),
      kind,
      title: textOf(title),
      status,
      created_at: new Date(createdAt),
      last_at: new Date(usedAt),
    })
    .onConflict((conflict) => conflict.columns(["tenant", "session"]).doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) throw takenSession(id);
}

/** Reads first: most sessions that a process does not know were made before. */
async function ensureSession(query: Query, { tenant, id }: SessionName, at: number): Promise<SessionUsers> {
  const session = storableText(id);
  const find = () =>
    query
      .selectFrom("toolwright.sessions")
      .select(["owner", "agent"])
      .where("tenant", "=", tenant)
      .where("session", "=", session)
      .executeTakeFirst();
  const found = await find();
  if (found) return toUsers(found);
  await query
    .insertInto("toolwright.sessions")
    .values({ tenant, session, created_at: new Date(at), last_at: new Date(at) })
    .onConflict((conflict) => conflict.columns(["tenant", "session"]).doNothing())
    .execute();
  return toUsers(await find());
}

async function findSession(query: Query, { tenant, id }: SessionName): Promise<Session | undefined> {
  const row = await selectSessions(query, tenant).where("session", "=", storableText(id)).executeTakeFirst();
  return row && toSession(row);
}

async function listSessions(query: Query, filter: SessionFilter): Promise<SessionPage> {
  const { tenant, owner, agent, kind, status } = filter;
  const after = filter.after === undefined ? undefined : readSessionCursor(filter.after);
  const limit = sessionLimit(filter);
  const rows = await selectSessions(query, tenant)
    // One whose log retention removed is over; its row only says where the chain ended.
    .where(sql<boolean>`(sequence > removed_through or has_messages or removed_at is null)`)
    .$if(owner !== undefined, (some) => some.where("owner", "=", storableText(owner ?? "")))
    .$if(agent !== undefined, (some) => some.where("agent", "=", storableText(agent ?? "")))
    .$if(kind !== undefined, (some) => some.where("kind", "=", kind ?? ""))
    .$if(status !== undefined, (some) => some.where("status", "=", status ?? "open"))
    .$if(after !== undefined, (some) => {
      const at = new Date(after?.usedAt ?? 0);
      return some.where(sql<boolean>`(last_at < ${at} or (last_at = ${at} and session collate "C" > ${after?.id ?? ""}))`);
    })
    .orderBy("last_at", "desc")
    .orderBy(sql`session collate "C"`)
    .limit(limit + 1)
    .execute();
  const sessions = rows.slice(0, limit).map(toSession);
  const last = sessions.at(-1);
  return { sessions, next: last && rows.length > limit ? sessionCursor(last) : undefined };
}

function selectSessions(query: Query, tenant: string) {
  return query
    .selectFrom("toolwright.sessions")
    .select(["tenant", "session", "owner", "agent", "kind", "title", "status", "created_at", "last_at"])
    .where("tenant", "=", tenant);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectSessions>["executeTakeFirstOrThrow"]>>;

function toSession({ tenant, session, kind, title, status, created_at, last_at, ...users }: Row): Session {
  const times = { createdAt: created_at.getTime(), usedAt: last_at.getTime() };
  return { tenant, id: session, ...toUsers(users), kind, ...(title !== null && { title }), status: status as SessionStatus, ...times };
}

function toUsers(row: { readonly owner: string | null; readonly agent: string | null } | undefined): SessionUsers {
  return { ...(row?.owner != null && { owner: row.owner }), ...(row?.agent != null && { agent: row.agent }) };
}

const textOf = (text: string | undefined) => (text === undefined ? null : storableText(text));
