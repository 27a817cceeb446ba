import type { CallEvent } from "@toolwright/engine";
import { anchorHeads } from "@toolwright/engine/ports";
import { readAll } from "@toolwright/engine/testing";
import type { Area } from "./area.ts";
import { principalOf, type World } from "./open-world.ts";

const at = Date.UTC(2026, 0, 1);

/** A call named like its session. */
function callOf(tenant: string, session: string): readonly CallEvent[] {
  const facts = { session, tenant, actor: { kind: "user", id: "ann" }, door: "cli", callId: session, tool: "pay" } as const;
  const started: CallEvent = { ...facts, type: "tool.started", at, data: { effect: "allow", input: { euros: 5 } } };
  return [started, { ...facts, type: "tool.completed", at: at + 7, data: { durationMs: 7 } }];
}

/** What a follower hears before an event of its own tenant that is written after all others. */
async function follow({ store }: World, tenant: string, session: string): Promise<readonly unknown[]> {
  const abort = new AbortController();
  const heard: unknown[] = [];
  await store.events.append(callOf(tenant, session).map((event) => ({ ...event, callId: "the last" })));
  for await (const { event } of store.log.follow({ tenant, session, after: 0 }, abort.signal)) {
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
    "store.runs.find": ({ store }, tenant, id) => store.runs.find(tenant, id),
    "store.log.follow": follow,
    "store.log.verify": ({ store }, tenant, session) => readAll(store.log.verify({ tenant, session })),
    "store.log.page": ({ store }, tenant, session) => store.log.page({ tenant, session }),
    "store.log.list (of a session)": ({ store }, tenant, session) => readAll(store.log.list({ tenant, session })),
    "operations.runs.get": ({ operateOf }, tenant, id) => operateOf(tenant)("runs.get", { id }),
    "operations.runs.why": ({ operateOf }, tenant, id) => operateOf(tenant)("runs.why", { id }),
    "operations.events.list": ({ operateOf }, tenant, session) => operateOf(tenant)("events.list", { session }),
    "operations.events.heads (of a session)": ({ operateOf }, tenant, session) => operateOf(tenant)("events.heads", { session }),
    "operations.events.verify": ({ operateOf }, tenant, session) => operateOf(tenant)("events.verify", { session }),
    "store.retention.removeSessions": ({ store }, tenant) =>
      store.retention.removeSessions({ tenant, before: Date.now() + 1 }).then(() => undefined),
  },
  lists: {
    "store.runs.list": ({ store }, tenant) => store.runs.list({ tenant }),
    "store.runs.beginnings": ({ store }, tenant) => readAll(store.runs.beginnings({ tenant })),
    "store.usage.read": ({ store }, tenant) => store.usage.read({ tenant, by: "tool", since: 0 }),
    "operations.policy.simulate": ({ operateOf }, tenant) =>
      operateOf(tenant)("policy.simulate", { document: { tools: { deny: ["pay"] } } }),
    "operations.runs.list": ({ operateOf }, tenant) => operateOf(tenant)("runs.list", {}),
    "operations.usage.get": ({ operateOf }, tenant) => operateOf(tenant)("usage.get", { by: "tool", since: 0 }),
    "store.log.list": ({ store }, tenant) => readAll(store.log.list({ tenant })),
    "store.log.list (as an anchor)": ({ store }, tenant) => anchorHeads(store.log, { tenant, at }),
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
    "store.sessions.ensure": async ({ store }, tenant, id) => store.sessions.ensure({ tenant, id }, { owner: "eve", at }),
    "store.sessions.find": ({ store }, tenant, id) => store.sessions.find({ tenant, id }),
    "store.sessions.update": ({ store }, tenant, id) => store.sessions.update({ tenant, id }, { title: "Spied", status: "archived" }),
    "store.sessions.usersOf": async ({ store }, tenant, id) => store.sessions.usersOf({ tenant, id }),
    "operations.sessions.get": ({ operateOf }, tenant, id) => operateOf(tenant)("sessions.get", { id }),
    "operations.sessions.share": ({ operateOf }, tenant, id) => operateOf(tenant)("sessions.share", { id, with: "eve" }),
    "operations.sessions.unshare": ({ operateOf }, tenant, id) => operateOf(tenant)("sessions.unshare", { id, with: "eve" }),
    "operations.sessions.update": ({ operateOf }, tenant, id) => operateOf(tenant)("sessions.update", { id, title: "Spied" }),
  },
  lists: {
    "store.sessions.list": ({ store }, tenant) => store.sessions.list({ tenant }),
    "operations.sessions.list": ({ operateOf }, tenant) => operateOf(tenant)("sessions.list", {}),
  },
};

/** What a person has used of their limits. */
const limits: Area = {
  make: async ({ operateOf }, tenant, title) => (await operateOf(tenant)("sessions.create", { title })).id,
  look: ({ store }, tenant, id) => store.sessions.find({ tenant, id }),
  lists: {
    "store.limits.read": ({ store }, tenant) => store.limits.read(principalOf(tenant)),
    "operations.usage.limits": ({ operateOf }, tenant) => operateOf(tenant)("usage.limits", {}),
  },
};

export const logAreas: readonly Area[] = [sessions, ownedSessions, limits];
