import { expect, it } from "vitest";
import type { Principal } from "../contract/principal.ts";
import type { ApprovalRecord } from "../ports/approval-store.ts";
import type { GrantRecord } from "../ports/grant-store.ts";
import { createMemoryApprovalStore } from "./approval-store.ts";
import { createMemoryCatalogueStore } from "./catalogue-store.ts";
import { createMemoryGrantStore } from "./grant-store.ts";
import { createMemoryIdentity } from "./identity.ts";
import { createMemoryMemories } from "./memories.ts";
import { createMemoryRooms } from "./rooms.ts";
import { createMemorySecretStore } from "./secret-store.ts";
import { createMemoryTenantStore } from "./tenant-store.ts";
import { createMemoryTurns } from "./turns.ts";

const by = { kind: "user", id: "ann" } as const;
const asAgent = (agent: string): Principal => ({ tenant: "acme", actor: by, agent, permissions: [], door: "rest" });
const now = 1_000;

async function openStores() {
  const tenants = createMemoryTenantStore();
  await tenants.ensure("acme");
  const identity = createMemoryIdentity({ tenants });
  const stores = {
    ...{ approvals: createMemoryApprovalStore(), grants: createMemoryGrantStore(), secrets: createMemorySecretStore(), identity },
    turns: createMemoryTurns(),
    rooms: createMemoryRooms(),
    memories: createMemoryMemories(),
  };
  return { ...stores, catalogue: createMemoryCatalogueStore(stores) };
}

async function furnish(
  { approvals, grants, secrets, identity, turns, rooms, memories, catalogue }: Awaited<ReturnType<typeof openStores>>,
  agent: string,
) {
  await catalogue.agents.create("acme", { agent, name: agent, features: {}, restricted: true, acceptsAgents: false });
  const scope = { kind: "agent", holder: `agent ${agent}` } as const;
  await grants.create({
    id: `grt_${agent}`,
    tenant: "acme",
    scope,
    createdAt: now,
    expiresAt: 2 * now,
    maxUses: 9,
  } as unknown as GrantRecord);
  const below: Principal = { ...asAgent("below"), delegated: { from: asAgent(agent) } as NonNullable<Principal["delegated"]> };
  for (const [id, principal] of [
    [`apr_open_${agent}`, below],
    [`apr_yes_${agent}`, asAgent(agent)],
  ] as const)
    await approvals.create({ id, principal, createdAt: now, expiresAt: 2 * now } as unknown as ApprovalRecord);
  await approvals.answer("acme", `apr_yes_${agent}`, { outcome: { kind: "approve" }, by, at: now });
  const turn = { id: `trn_${agent}`, tenant: "acme", conversation: agent, agent, principal: asAgent("below"), callId: "c", createdAt: now };
  await turns.begin(turn, { role: "user", content: "Hello." }, { holder: "p1", until: 2 * now });
  const room = { tenant: "acme", id: `room_${agent}`, title: "Orders", agent, principal: asAgent("below"), people: [], createdAt: now };
  await rooms.create(room);
  const index = { folded: "tea", names: "", language: "english" };
  const memory = { key: "k", content: "Tea", category: "core", trust: "agent", sources: [], savedAt: now, by, index } as const;
  await memories.save({ tenant: "acme", owner: `agent:${agent}` }, memory);
  await secrets.set({ tenant: "acme", agent, name: "TOKEN" }, "a value of some length");
  const { key, record } = await identity.createApiKey("acme", { name: "k", permissions: [], agent, by: "ann" });
  return { key, id: record.id };
}

it("an agent that is removed takes along what it has in the stores beside, and nothing of another agent", async () => {
  const stores = await openStores();
  const [gone, stays] = [await furnish(stores, "coder"), await furnish(stores, "coder-2")];
  const { catalogue, approvals, grants, secrets, identity, turns } = stores;
  const wanted = {
    keys: [gone.id],
    grants: ["grt_coder"],
    approvals: ["apr_open_coder", "apr_yes_coder"],
    turns: ["trn_coder"],
    rooms: ["room_coder"],
    secrets: 1,
    memories: 1,
  };
  expect(await catalogue.agents.belongings("acme", "coder", now)).toMatchObject(wanted);
  expect(await catalogue.agents.remove("acme", "coder", { by, at: now })).toMatchObject(wanted);
  expect(await grants.get("acme", "grt_coder")).toMatchObject({ revoked: { by, at: now } });
  expect(await grants.get("acme", "grt_coder-2")).not.toHaveProperty("revoked");
  expect(await approvals.get("acme", "apr_open_coder")).toMatchObject({ answer: { outcome: { kind: "deny" } } });
  expect(await approvals.claim("acme", "apr_yes_coder", now)).toBe(false);
  expect(await approvals.claim("acme", "apr_yes_coder-2", now)).toBe(true);
  expect(await stores.rooms.list("acme", {})).toHaveLength(2);
  expect(await stores.memories.owners("acme")).toEqual([{ owner: "agent:coder-2", count: 1 }]);
  expect((await turns.get({ tenant: "acme", id: "trn_coder" }))?.cancelReason).toBe("The agent coder was deleted.");
  expect((await turns.get({ tenant: "acme", id: "trn_coder-2" }))?.cancelReason).toBeUndefined();
  expect([await identity.examineKey(gone.key), (await identity.identifyKey(stays.key))?.agent]).toEqual(["revoked", "coder-2"]);
  expect((await secrets.list("acme")).map(({ agent }) => agent)).toEqual(["coder-2"]);
});
