import type { ApprovalRecord } from "@toolwright/engine";
import type { GrantRecord } from "@toolwright/engine/ports";
import { sha256 } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Area } from "./area.ts";
import { principalOf } from "./open-world.ts";

const by = { kind: "user", id: "bob" } as const;
const at = Date.UTC(2026, 0, 1);
const soon = () => Date.now() + 3_600_000;

function approvalOf(tenant: string, id: string): ApprovalRecord {
  const binding = { input: "i", definition: "d", policyRevision: "r", secrets: "s", caller: "c", disclosed: "r", world: "w" };
  const decision = { effect: "ask", layer: "tool", rule: "tools.ask[0]", reason: "Ask first.", revision: "r", findings: [] } as const;
  const call = { callId: `call_${id}`, tool: "pay", principal: principalOf(tenant), session: "s1", input: { euros: 5 } };
  return { id, ...call, binding, decision, summary: "Pay", createdAt: at, expiresAt: soon() };
}

const grantOf = (tenant: string, id: string, scope: GrantRecord["scope"] = { kind: "tenant" }): GrantRecord => ({
  ...{ id, tenant, tool: "pay", definition: "d", scope, by, createdAt: at, expiresAt: soon(), maxUses: 9 },
  allows: [{ kind: "input", digest: "d" }],
});

const approvals: Area = {
  async make({ scopeOf }, tenant) {
    const result = await scopeOf(tenant).invokeNamed("pay", { euros: 5 });
    if (result.status !== "pending") throw new Error(`The call is ${result.status}, not waiting for a person.`);
    return result.approval.id;
  },
  look: ({ store }, tenant, id) => store.approvals.get(tenant, id),
  byId: {
    "store.approvals.create": ({ store }, tenant, id) => store.approvals.create(approvalOf(tenant, id)),
    "store.approvals.get": ({ store }, tenant, id) => store.approvals.get(tenant, id),
    "store.approvals.answer": ({ store }, tenant, id) => store.approvals.answer(tenant, id, { outcome: { kind: "approve" }, by, at }),
    "store.approvals.claim": ({ store }, tenant, id) => store.approvals.claim(tenant, id, at),
    "scope.resume": ({ scopeOf }, tenant, id) => scopeOf(tenant).resume(id),
    "scope.approval": ({ scopeOf }, tenant, id) => scopeOf(tenant).approval(id),
    "scope.answer": ({ scopeOf }, tenant, id) => scopeOf(tenant).answer(id, { kind: "approve" }),
    "scope.proposeGrant": ({ scopeOf }, tenant, id) => scopeOf(tenant).proposeGrant(id),
    "scope.offerRemember": ({ scopeOf }, tenant, id) => scopeOf(tenant).offerRemember(id),
    "operations.approvals.get": ({ operateOf }, tenant, id) => operateOf(tenant)("approvals.get", { id }),
    "operations.approvals.answer": ({ operateOf }, tenant, id) =>
      operateOf(tenant)("approvals.answer", { id, outcome: { kind: "approve" } }),
    "operations.approvals.preview": ({ operateOf }, tenant, id) => operateOf(tenant)("approvals.preview", { id }),
    "operations.approvals.why": ({ operateOf }, tenant, id) => operateOf(tenant)("approvals.why", { id }),
    "operations.approvals.propose": ({ operateOf }, tenant, id) => operateOf(tenant)("approvals.propose", { id }),
    // It tells nothing: what it does is in the log.
    "scope.noteUnanswered": async ({ scopeOf, store }, tenant, id) => {
      await scopeOf(tenant).noteUnanswered(id, "not answered");
      const log = await store.events.read({ tenant, session: "s1" });
      return log.filter(({ event: { data } }) => data.approval === id && data.note === "not answered").length;
    },
  },
  lists: {
    "store.approvals.list": ({ store }, tenant) => store.approvals.list(tenant),
    "scope.approvals": ({ scopeOf }, tenant) => scopeOf(tenant).approvals(),
    "operations.approvals.list": ({ operateOf }, tenant) => operateOf(tenant)("approvals.list", {}),
  },
};

const grants: Area = {
  make: ({ store }, tenant, name) => store.grants.create(grantOf(tenant, name)),
  look: ({ store }, tenant, id) => store.grants.get(tenant, id),
  byId: {
    "store.grants.create": ({ store }, tenant, id) => store.grants.create(grantOf(tenant, id)),
    "store.grants.get": ({ store }, tenant, id) => store.grants.get(tenant, id),
    "store.grants.use": ({ store }, tenant, id) => store.grants.use(tenant, id, at),
    "store.grants.revoke": ({ store }, tenant, id) => store.grants.revoke(tenant, id, { by, at }),
    "operations.grants.revoke (for everybody)": ({ operateOf }, tenant, id) => operateOf(tenant)("grants.revoke", { id }),
  },
  lists: {
    "store.grants.list": ({ store }, tenant) => store.grants.list(tenant),
    "operations.grants.list (for everybody)": ({ operateOf }, tenant) => operateOf(tenant)("grants.list", {}),
  },
};

/** What was remembered for one person. */
const ownGrants: Area = {
  make: ({ store }, tenant, name) =>
    store.grants.create(grantOf(tenant, name, { kind: "agent", holder: `user ${principalOf(tenant).actor.id}` })),
  look: ({ store }, tenant, id) => store.grants.get(tenant, id),
  byId: {
    "scope.revokeGrant": ({ scopeOf }, tenant, id) => scopeOf(tenant).revokeGrant(id),
    "operations.grants.revoke": ({ operateOf }, tenant, id) => operateOf(tenant)("grants.revoke", { id }),
  },
  lists: {
    "scope.grants": ({ scopeOf }, tenant) => scopeOf(tenant).grants(),
    "operations.grants.list": ({ operateOf }, tenant) => operateOf(tenant)("grants.list", {}),
  },
};

const rates: Area = {
  make: ({ store }, tenant, key) => store.limiter.reserve({ tenant, key }, { count: 1, windowMs: 1_000 }, at),
  look: ({ store }, tenant, key) =>
    store.database.asTenant(tenant, (query) => sql`select times from toolwright.rate_counters where key = ${key}`.execute(query)),
  byId: {
    "store.limiter.reserve": async ({ store }, tenant, key) => {
      const reserved = await store.limiter.reserve({ tenant, key }, { count: 1, windowMs: 1_000 }, at);
      return reserved.granted;
    },
    "store.limiter.count": async ({ store }, tenant, key) => store.limiter.count({ tenant, key }, 1_000, at),
  },
};

const keyOf = (tenant: string, name: string) => ({ tenant, key: name, fingerprint: "f", callId: name, at, expiresAt: soon() });

const idempotencyKeys: Area = {
  make: ({ store }, tenant, name) => store.idempotency.claim(keyOf(tenant, name)),
  look: ({ store }, tenant, key) =>
    store.database.asTenant(tenant, (query) => sql`select result from toolwright.idempotency_keys where key = ${key}`.execute(query)),
  byId: {
    "store.idempotency.claim": ({ store }, tenant, id) => store.idempotency.claim(keyOf(tenant, id)),
    "store.idempotency.find": async ({ store }, tenant, key) => (await store.idempotency.find(tenant, key)) ?? null,
    "store.idempotency.settle": ({ store }, tenant, callId) =>
      store.idempotency.settle({ tenant, callId }, { status: "denied", callId, decision: {} } as never, 0),
    "store.idempotency.release": ({ store }, tenant, callId) => store.idempotency.release({ tenant, callId }),
  },
};

/** How it ended is kept under the key, for who left it. */
const followedCalls: Area = {
  make: ({ scopeOf }, tenant, name) => scopeOf(tenant).follow(name, { callId: name, ending: { status: "denied", callId: name } as never }),
  look: ({ scopeOf }, tenant, key) => scopeOf(tenant).followed(key),
  byId: {
    "scope.followed": async ({ scopeOf }, tenant, key) => (await scopeOf(tenant).followed(key)) ?? null,
    "scope.withdraw": ({ scopeOf }, tenant, key) => scopeOf(tenant).withdraw(key, "spied"),
  },
};

const artifacts: Area = {
  async make({ store }, tenant, name) {
    const writer = await store.artifacts.create({ tenant, session: "s1", callId: name }, { name, mediaType: "text/plain" });
    await writer.write(Buffer.from(`whole of ${name}`));
    return (await writer.finish()).id;
  },
  look: ({ store }, tenant, id) => store.artifacts.read(tenant, id),
  byId: {
    "store.artifacts.read": ({ store }, tenant, id) => store.artifacts.read(tenant, id),
    "operations.artifacts.get": ({ operateOf }, tenant, id) => operateOf(tenant)("artifacts.get", { id }),
    "operations.artifacts.read": ({ operateOf }, tenant, id) => operateOf(tenant)("artifacts.read", { id }),
    "scope.readArtifact": ({ scopeOf }, tenant, id) => scopeOf(tenant).readArtifact(id, { offset: 1 }),
  },
  lists: {
    "store.artifacts.list": ({ store }, tenant) => store.artifacts.list(tenant, "s1"),
    "scope.artifacts": ({ scopeOf }, tenant) => scopeOf(tenant).artifacts(),
    "operations.artifacts.list": ({ operateOf }, tenant) => operateOf(tenant)("artifacts.list", { session: "s1" }),
  },
};

const clientSessions: Area = {
  async make({ store }, tenant, name) {
    const id = sha256(name);
    await store.clientSessions.put({ tenant, id, owner: `owner of ${name}`, opening: "{}", usedAt: 1 });
    return id;
  },
  look: ({ store }, tenant, id) => store.clientSessions.find({ tenant, id }),
  byId: {
    "store.clientSessions.find": ({ store }, tenant, id) => store.clientSessions.find({ tenant, id }),
    "store.clientSessions.touch": ({ store }, tenant, id) => store.clientSessions.touch({ tenant, id }, 2_000_000_000_000),
    "store.clientSessions.remove": ({ store }, tenant, id) => store.clientSessions.remove({ tenant, id }),
  },
};

const foreignMarks: Area = {
  async make({ store }, tenant, name) {
    await store.foreign.add({ tenant, id: name }, [
      { kind: "web", place: `https://${name}.example/`, callId: name, tool: "web_fetch", at: 1 },
    ]);
    return name;
  },
  look: ({ store }, tenant, id) => store.foreign.of(tenant, [id]),
  byId: { "store.foreign.of": ({ store }, tenant, id) => store.foreign.of(tenant, [id]) },
};

export const callAreas: readonly Area[] = [
  ...[approvals, grants, ownGrants, rates, idempotencyKeys, followedCalls, artifacts, clientSessions],
  foreignMarks,
];
