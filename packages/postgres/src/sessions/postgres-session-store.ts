import {
  changeShares,
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
import type { ChainHeads } from "../events/chain-heads.ts";

type NamedSession = Parameters<SessionStore["named"]>[0];
type SessionChanges = Parameters<SessionStore["update"]>[1];

/** One whose log retention removed is over; its row only says where the chain ended. */
const isKept = sql<boolean>`(sequence > removed_through or has_messages or removed_at is null)`;

/** Sessions and names that calls used last are kept in memory: the owner, the agent and the name of a session never change. */
const mostKnown = 10_000;

interface SessionStoreOptions {
  /** Hears where the chain of a session ends that was looked for: who does not know that has it worked out by the database, which takes more statements. */
  readonly heads?: Pick<ChainHeads, "keep"> | undefined;
}

/** Sessions in PostgreSQL: the rows that hold the ends of their chains. The log keeps the time of the last call. */
export function createPostgresSessionStore(database: Database, { heads }: SessionStoreOptions = {}): SessionStore {
  const users = new Remembered<SessionUsers>();
  const ids = new Remembered<string>();
  const asTenant = <Value>(tenant: string, ask: (query: Query) => Promise<Value>) =>
    database.asTenant(tenant, ask).catch((error: unknown) => {
      throw toStoreError(error);
    });
  const userKey = ({ tenant, id }: SessionName) => `${tenant}\n${id}`;
  const nameKey = ({ tenant, owner, name }: NamedSession) => JSON.stringify([tenant, owner, name]);
  return {
    create: (session) => database.asTenant(session.tenant, (query) => insertSession(query, session)),
    ensure: (name, use) => users.get(userKey(name), () => asTenant(name.tenant, (query) => ensureSession(query, name, { ...use, heads }))),
    usersOf: (name) => users.find(userKey(name), () => asTenant(name.tenant, (query) => findUsers(query, name, heads))),
    named: (session) => ids.find(nameKey(session), () => asTenant(session.tenant, (query) => findNamed(query, session))),
    openNamed: async (session, made) =>
      ids.get(nameKey(session), () => asTenant(session.tenant, (query) => insertNamed(query, session, made))),
    find: (name) => database.asTenant(name.tenant, (query) => findSession(query, name)),
    list: (filter) => database.asTenant(filter.tenant, (query) => listSessions(query, filter)),
    update: (name, changes) => database.asTenant(name.tenant, (query) => updateSession(query, name, changes)),
  };
}

/** How many sessions of all tenants have no owner; only people with `sessions:manage` see them. */
export async function countOwnerlessSessions({ owner }: Pick<Database, "owner">): Promise<number> {
  const { count } = await owner
    .selectFrom("toolwright.sessions")
    .select((row) => row.fn.countAll<string>().as("count"))
    .where("owner", "is", null)
    .where(isKept)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** What was asked for last: found at once, and asked for once by all who ask at the same time. */
class Remembered<Value> {
  readonly #known = new Map<string, Value | Promise<Value>>();

  get(key: string, ask: () => Promise<Value>): Value | Promise<Value> {
    const found = this.#known.get(key);
    if (found !== undefined) return found;
    const asked = ask().then(
      (value) => this.#keep(key, value),
      (error: unknown) => {
        this.#known.delete(key);
        throw error;
      },
    );
    this.#keep(key, asked);
    return asked;
  }

  /** What does not exist is asked for again next time. */
  find(key: string, ask: () => Promise<Value | undefined>): Value | undefined | Promise<Value | undefined> {
    return (
      this.#known.get(key) ??
      ask().then((value) => {
        if (value !== undefined) this.#keep(key, value);
        return value;
      })
    );
  }

  #keep<Kept extends Value | Promise<Value>>(key: string, value: Kept): Kept {
    this.#known.delete(key);
    const oldest = this.#known.size >= mostKnown ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, value);
    return value;
  }
}

async function insertSession(query: Query, session: Session): Promise<void> {
  const { tenant, id, name, owner, agent, kind, title, status, sharedWith = [], createdAt, usedAt } = session;
  const { numInsertedOrUpdatedRows = 0n } = await query
    .insertInto("toolwright.sessions")
    .values({
      tenant,
      session: storableText(id),
      name: textOf(name),
      owner: textOf(owner),
      agent: textOf(agent),
      kind,
      title: textOf(title),
      status,
      shared_with: sharedWith.map(storableText),
      created_at: new Date(createdAt),
      last_at: new Date(usedAt),
    })
    // Of the id, and of the name that the owner gave it.
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows > 0n) return;
  throw takenSession((await findSession(query, session)) || name === undefined ? id : name);
}

/** Reads first: most sessions that a process does not know were made before. */
async function ensureSession(
  query: Query,
  name: SessionName,
  { owner, at, heads }: SessionStoreOptions & { readonly owner: string; readonly at: number },
): Promise<SessionUsers> {
  const found = await findUsers(query, name, heads);
  if (found) return found;
  await insertMade(query, { ...name, owner, at });
  return (await findUsers(query, name)) ?? {};
}

async function findUsers(
  query: Query,
  { tenant, id }: SessionName,
  heads?: SessionStoreOptions["heads"],
): Promise<SessionUsers | undefined> {
  const row = await query
    .selectFrom("toolwright.sessions")
    .select(["owner", "agent", "sequence", "hash"])
    .where("tenant", "=", tenant)
    .where("session", "=", storableText(id))
    .executeTakeFirst();
  if (!row) return undefined;
  heads?.keep(tenant, id, { sequence: row.sequence, hash: row.hash });
  return toUsers(row);
}

async function findNamed(query: Query, { tenant, owner, name }: NamedSession): Promise<string | undefined> {
  const row = await query
    .selectFrom("toolwright.sessions")
    .select("session")
    .where("tenant", "=", tenant)
    .where("owner", "=", storableText(owner))
    .where("name", "=", storableText(name))
    .executeTakeFirst();
  return row?.session;
}

/** The first insert wins, in whichever process; all others read what it made. */
async function insertNamed(query: Query, session: NamedSession, { id, at }: { readonly id: string; readonly at: number }): Promise<string> {
  const before = await findNamed(query, session);
  if (before !== undefined) return before;
  await insertMade(query, { ...session, id, at });
  return (await findNamed(query, session)) ?? id;
}

interface MadeSession extends SessionName {
  readonly owner: string;
  readonly name?: string;
  readonly at: number;
}

async function insertMade(query: Query, { tenant, id, owner, name, at }: MadeSession): Promise<void> {
  const time = new Date(at);
  await query
    .insertInto("toolwright.sessions")
    .values({ tenant, session: storableText(id), owner: storableText(owner), name: textOf(name), created_at: time, last_at: time })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function updateSession(query: Query, name: SessionName, changes: SessionChanges): Promise<Session | undefined> {
  const { tenant } = name;
  const session = storableText(name.id);
  const { title, status, share, unshare } = changes;
  if (share !== undefined || unshare !== undefined) {
    // Locked: of two changes at once neither undoes the other.
    const row = await selectSessions(query, tenant).where("session", "=", session).forUpdate().executeTakeFirst();
    if (!row) return undefined;
    const shared_with = changeShares(toSession(row), changes).map(storableText);
    await query
      .updateTable("toolwright.sessions")
      .set({ shared_with })
      .where("tenant", "=", tenant)
      .where("session", "=", session)
      .execute();
  }
  if (title !== undefined || status !== undefined)
    await query
      .updateTable("toolwright.sessions")
      .set({ ...(title !== undefined && { title: storableText(title) }), ...(status !== undefined && { status }) })
      .where("tenant", "=", tenant)
      .where("session", "=", session)
      .execute();
  return findSession(query, name);
}

async function findSession(query: Query, { tenant, id }: SessionName): Promise<Session | undefined> {
  const row = await selectSessions(query, tenant).where("session", "=", storableText(id)).executeTakeFirst();
  return row && toSession(row);
}

async function listSessions(query: Query, filter: SessionFilter): Promise<SessionPage> {
  const { tenant, owner, ownerless = false, usableBy, agent, kind, status } = filter;
  const after = filter.after === undefined ? undefined : readSessionCursor(filter.after);
  const limit = sessionLimit(filter);
  const rows = await selectSessions(query, tenant)
    .where(isKept)
    .$if(owner !== undefined, (some) => some.where("owner", "=", storableText(owner ?? "")))
    .$if(ownerless, (some) => some.where("owner", "is", null))
    .$if(usableBy !== undefined, (some) => {
      const asker = storableText(usableBy ?? "");
      return some.where(sql<boolean>`(owner = ${asker} or (shared_with <> '{}' and shared_with && ${[asker, "*"]}::text[]))`);
    })
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
    .select(["tenant", "session", "owner", "agent", "kind", "title", "status", "name", "shared_with", "created_at", "last_at"])
    .where("tenant", "=", tenant);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectSessions>["executeTakeFirstOrThrow"]>>;

function toSession({ tenant, session, name, kind, title, status, shared_with, created_at, last_at, ...users }: Row): Session {
  return {
    ...{ tenant, id: session, ...toUsers(users), kind, status: status as SessionStatus },
    ...(name !== null && { name }),
    ...(title !== null && { title }),
    ...(shared_with.length > 0 && { sharedWith: shared_with }),
    ...{ createdAt: created_at.getTime(), usedAt: last_at.getTime() },
  };
}

function toUsers(row: { readonly owner: string | null; readonly agent: string | null }): SessionUsers {
  return { ...(row.owner !== null && { owner: row.owner }), ...(row.agent !== null && { agent: row.agent }) };
}

const textOf = (text: string | undefined) => (text === undefined ? null : storableText(text));
