import { randomBytes } from "node:crypto";
import type { ApprovalRecord, Principal } from "@toolwright/engine";
import { createRandomIds, type GrantRecord, systemClock } from "@toolwright/engine/ports";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresApprovalStore } from "../approvals/postgres-approval-store.ts";
import { createPostgresGrantStore } from "../grants/postgres-grant-store.ts";
import { createPostgresHooks } from "../hooks/postgres-hooks.ts";
import { createApiKey, listApiKeys } from "../identity/api-keys.ts";
import { createPostgresJobs } from "../jobs/postgres-jobs.ts";
import { createPostgresSchedules } from "../jobs/schedules/postgres-schedules.ts";
import { createPostgresMemories } from "../memories/postgres-memories.ts";
import { createPostgresRooms } from "../rooms/postgres-rooms.ts";
import { createKeyring, toMasterKey } from "../secrets/keyring.ts";
import { createPostgresSecretStore } from "../secrets/postgres-secret-store.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresTurns } from "../turns/postgres-turns.ts";
import { noVectors } from "../vectors/stored-vectors.ts";
import { createCatalogueStore } from "./catalogue-store.ts";

const by = { kind: "user", id: "ann" } as const;
const asAgent = (agent: string): Principal => ({ tenant: "acme", actor: by, agent, permissions: [], door: "rest" });
const now = Date.now();
const hour = 3_600_000;
const keyring = createKeyring([toMasterKey(randomBytes(32))]);

describe.each(testDatabaseKinds)("an agent that is deleted, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const memories = () =>
    createPostgresMemories(test.database, {
      findAids: async () => ({ trigrams: undefined, vectors: undefined }),
      vectors: noVectors("None."),
    });
  /** What can be made in the name of an agent, one of each. */
  async function furnish(agent: string) {
    const { database } = test;
    const parts = { ids: createRandomIds(), now: () => now };
    const [jobs, schedules] = [createPostgresJobs(database, parts), createPostgresSchedules(database, parts)];
    const principal = asAgent(agent);
    const when = { cron: "0 * * * *" };
    await schedules.add(principal, { name: `of ${agent}`, tool: "echo", input: {}, when });
    const job = await jobs.enqueue(principal, { tool: "echo", input: {} });
    const child = await jobs.enqueue({ ...principal, agent: "below", delegated: { from: principal } } as unknown as Principal, {
      tool: "echo",
      input: {},
    });
    const { record } = await createApiKey({ database, clock: systemClock }, "acme", { name: "k", permissions: [], agent, by: "ann" });
    const scope = { kind: "agent", holder: `agent ${agent}` } as const;
    const grant = { id: `grt_${agent}`, tenant: "acme", tool: "exec", scope, createdAt: now, expiresAt: now + hour, maxUses: 9 };
    await createPostgresGrantStore(database).create(grant as unknown as GrantRecord);
    const approvals = createPostgresApprovalStore(database);
    for (const id of [`apr_open_${agent}`, `apr_yes_${agent}`])
      await approvals.create({ id, callId: id, principal, createdAt: now, expiresAt: now + hour } as unknown as ApprovalRecord);
    await approvals.answer("acme", `apr_yes_${agent}`, { outcome: { kind: "approve" }, by, at: now });
    const turn = {
      id: `trn_${agent}`,
      tenant: "acme",
      conversation: agent,
      agent,
      principal: asAgent("below"),
      callId: "c",
      createdAt: now,
    };
    await createPostgresTurns(database).begin(turn, { role: "user", content: "Hello." }, { holder: "p1", until: now + hour });
    await (await createPostgresSecretStore(database, keyring)).set({ tenant: "acme", agent, name: "TOKEN" }, "a value of some length");
    const hook = {
      tenant: "acme",
      id: `hook_${agent}`,
      name: `hook-of-${agent}`,
      agent,
      channel: "log",
      secret: "TOKEN",
      principal,
      createdAt: now,
    };
    await createPostgresHooks(database).add(hook);
    const room = { tenant: "acme", id: `room_${agent}`, title: "Orders", agent, principal: asAgent("below"), people: [], createdAt: now };
    await createPostgresRooms(database).create(room);
    const index = { folded: "tea", names: "", language: "english" };
    const memory = { key: "k", content: "Tea", category: "core", trust: "agent", sources: [], savedAt: now, by, index } as const;
    await memories().save({ tenant: "acme", owner: `agent:${agent}` }, memory);
    return { jobs, schedules, approvals, principal, job, child, key: record.id };
  }

  it("takes along all that would act in its name, and nothing of another agent", async () => {
    const { database } = test;
    const { agents, skills, close } = await createCatalogueStore(database, { process: "p1" });
    for (const agent of ["coder", "coder-2"])
      await agents.create("acme", { agent, name: agent, features: {}, restricted: true, acceptsAgents: false }, ["read"]);
    await skills.create("acme", { skill: "notes", title: "Notes", instructions: "", tools: ["write"] });
    await skills.setForAgent({ tenant: "acme", agent: "coder", skill: "notes" }, true);
    const [gone, stays] = [await furnish("coder"), await furnish("coder-2")];
    const wanted = {
      schedules: ["of coder"],
      hooks: ["hook-of-coder"],
      jobs: [gone.job.id, gone.child.id].sort(),
      keys: [gone.key],
      grants: ["grt_coder"],
      approvals: expect.arrayContaining(["apr_open_coder", "apr_yes_coder"]),
      turns: ["trn_coder"],
      rooms: ["room_coder"],
      secrets: 1,
      memories: 1,
      tools: 1,
      skills: 1,
    };
    expect(await agents.belongings("acme", "coder", now)).toEqual(wanted);
    expect(await agents.remove("acme", "coder", { by, at: now })).toEqual(wanted);

    expect((await agents.list("acme")).map(({ agent }) => agent)).toEqual(["coder-2"]);
    expect((await createPostgresHooks(database).list("acme")).map(({ name }) => name)).toEqual(["hook-of-coder-2"]);
    expect(await createPostgresRooms(database).list("acme", {})).toHaveLength(2);
    expect((await gone.schedules.list(gone.principal)).map(({ name }) => name)).toEqual(["of coder-2"]);
    expect(await gone.jobs.get(gone.principal, gone.job.id)).toMatchObject({ state: "cancelled", reason: "The agent coder was deleted." });
    expect(await gone.jobs.get(gone.principal, gone.child.id)).toMatchObject({ state: "cancelled" });
    expect(await stays.jobs.get(stays.principal, stays.job.id)).toMatchObject({ state: "queued" });
    const keys = new Map((await listApiKeys(database, "acme")).map(({ id, revokedAt }) => [id, revokedAt]));
    expect([keys.get(gone.key), keys.get(stays.key)]).toEqual([now, undefined]);
    const grants = createPostgresGrantStore(database);
    expect(await grants.get("acme", "grt_coder")).toMatchObject({ revoked: { by, at: now } });
    expect(await grants.get("acme", "grt_coder-2")).not.toHaveProperty("revoked");
    expect(await gone.approvals.get("acme", "apr_open_coder")).toMatchObject({ answer: { outcome: { kind: "deny" } } });
    expect(await gone.approvals.claim("acme", "apr_yes_coder", now)).toBe(false);
    expect(await stays.approvals.claim("acme", "apr_yes_coder-2", now)).toBe(true);
    const cancelled = await createPostgresTurns(database).list("acme", {});
    expect(cancelled.map(({ id, cancelReason }) => [id, cancelReason]).sort()).toEqual([
      ["trn_coder", "The agent coder was deleted."],
      ["trn_coder-2", undefined],
    ]);
    expect(await memories().owners("acme")).toEqual([{ owner: "agent:coder-2", count: 1 }]);
    const secrets = await createPostgresSecretStore(database, keyring);
    expect((await secrets.list("acme")).map(({ agent }) => agent)).toEqual(["coder-2"]);
    close();
  });

  it("is told apart from one that is not there", async () => {
    const { agents, close } = await createCatalogueStore(test.database, { process: "p1" });
    await expect(agents.remove("acme", "nobody", { by, at: now })).rejects.toMatchObject({ code: "catalogue_not_found" });
    await expect(agents.belongings("other", "coder-2", now)).rejects.toMatchObject({ code: "catalogue_not_found" });
    close();
  });
});
