import type { CallEvent } from "@toolwright/engine";
import {
  anchorHeads,
  findRun,
  followEvents,
  listRuns,
  pageHeads,
  readBeginnings,
  readEvents,
  readHeads,
  readUsage,
  removeOldSessions,
  verifyLog,
} from "@toolwright/postgres";
import type { Area } from "./area.ts";
import type { World } from "./open-world.ts";

const at = Date.UTC(2026, 0, 1);

/** A call named like its session. */
function callOf(tenant: string, session: string): readonly CallEvent[] {
  const facts = { session, tenant, actor: { kind: "user", id: "ann" }, door: "cli", callId: session, tool: "pay" } as const;
  const started: CallEvent = { ...facts, type: "tool.started", at, data: { effect: "allow", input: { euros: 5 } } };
  return [started, { ...facts, type: "tool.completed", at: at + 7, data: { durationMs: 7 } }];
}

async function gather<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What a follower hears before an event of its own tenant that is written after all others. */
async function follow({ store }: World, tenant: string, session: string): Promise<readonly unknown[]> {
  const abort = new AbortController();
  const heard: unknown[] = [];
  await store.events.append(callOf(tenant, session).map((event) => ({ ...event, callId: "the last" })));
  for await (const { event } of followEvents(store.database, { tenant, session, after: 0 }, abort.signal)) {
    if (event.callId === "the last") abort.abort();
    else heard.push(event);
  }
  return heard;
}

const sessions: Area = {
  make: ({ store }, tenant, name) => store.events.append(callOf(tenant, name)),
  look: ({ store }, tenant, session) => store.events.read({ tenant, session }),
  byId: {
    "store.events.append": ({ store }, tenant, session) => store.events.append(callOf(tenant, session)),
    "store.events.read": ({ store }, tenant, session) => store.events.read({ tenant, session }),
    findRun: ({ store }, tenant, id) => findRun(store.database, tenant, id),
    followEvents: follow,
    verifyLog: ({ store }, tenant, session) => gather(verifyLog(store.database, { tenant, session })),
    readEvents: ({ store }, tenant, session) => store.database.asTenant(tenant, (query) => readEvents(query, { tenant, session })),
    readHeads: ({ store }, tenant, session) => store.database.asTenant(tenant, (query) => readHeads(query, { session })),
    removeOldSessions: ({ store }, tenant) => removeOldSessions(store.database, { tenant, before: Date.now() + 1 }).then(() => undefined),
  },
  lists: {
    listRuns: ({ store }, tenant) => listRuns(store.database, { tenant }),
    readUsage: ({ store }, tenant) => readUsage(store.database, { tenant, by: "tool", since: 0 }),
    anchorHeads: ({ store }, tenant) => anchorHeads(store.database, { tenant, at }),
    readBeginnings: ({ store }, tenant) => gather(readBeginnings(store.database, { tenant })),
    pageHeads: ({ store }, tenant) =>
      gather(pageHeads((page) => store.database.asTenant(tenant, (query) => readHeads(query, page)), { tenant })),
  },
};

const chat = (tenant: string, id: string) =>
  ({ tenant, id, owner: "ann", kind: "chat", title: `Chat ${id}`, status: "open", createdAt: at, usedAt: at }) as const;

/** Sessions as people know them: whose they are and what they are called. */
const ownedSessions: Area = {
  make: ({ store }, tenant, name) => store.sessions.create(chat(tenant, name)),
  look: ({ store }, tenant, id) => store.sessions.find({ tenant, id }),
  byId: {
    "store.sessions.create": ({ store }, tenant, id) => store.sessions.create({ ...chat(tenant, id), title: "Spied" }),
    "store.sessions.ensure": async ({ store }, tenant, id) => store.sessions.ensure({ tenant, id }, at),
    "store.sessions.find": ({ store }, tenant, id) => store.sessions.find({ tenant, id }),
    "store.sessions.update": ({ store }, tenant, id) => store.sessions.update({ tenant, id }, { title: "Spied", status: "archived" }),
    "scope.sessions.create": ({ scopeOf }, tenant, id) => scopeOf(tenant).sessions.create({ id, title: "Spied" }),
    "scope.sessions.get": ({ scopeOf }, tenant, id) => scopeOf(tenant).sessions.get(id),
    "scope.sessions.update": ({ scopeOf }, tenant, id) => scopeOf(tenant).sessions.update(id, { title: "Spied" }),
  },
  lists: {
    "store.sessions.list": ({ store }, tenant) => store.sessions.list({ tenant }),
    "scope.sessions.list": ({ scopeOf }, tenant) => scopeOf(tenant).sessions.list(),
  },
};

export const logAreas: readonly Area[] = [sessions, ownedSessions];
