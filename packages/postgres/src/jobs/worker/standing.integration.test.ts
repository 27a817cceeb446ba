import type { Principal } from "@toolwright/engine";
import { createRandomIds, hookPrincipal, type IdentityAdmin, type JobRecord, type Schedules } from "@toolwright/engine/ports";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createCatalogueStore, type PostgresCatalogueStore } from "../../catalogue/catalogue-store.ts";
import { createPostgresHooks } from "../../hooks/postgres-hooks.ts";
import { createIdentity } from "../../identity/identity.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../../testing/index.ts";
import { createWorkbench, until, type Workbench } from "../jobs-workbench.ts";
import { createPostgresSchedules } from "../schedules/postgres-schedules.ts";
import type { Worker } from "./start-worker.ts";

const write = "notes.own.write";
const guarded = { tool: "guarded", input: { text: "secret" } };

/** Who made a job, and how to take away what it acts by. */
interface Maker {
  readonly principal: Principal;
  takeAway(): Promise<void>;
  giveBack?(): Promise<void>;
}

describe.each(testDatabaseKinds)("whom a job acts for when it runs, %s", (kind) => {
  let test: TestDatabase;
  let bench: Workbench;
  let identity: IdentityAdmin;
  let catalogue: PostgresCatalogueStore;
  let schedules: Schedules;
  let worker: Worker | undefined;
  let number = 0;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    catalogue = await createCatalogueStore(test.database, { process: "w1" });
    bench = createWorkbench(test.database, { visibility: catalogue.visibility });
    identity = createIdentity(test.database, { knownPermissions: () => [write] });
    const agents = ["helper", "another", "narrow"].map((agent) => ({ tenant: "acme", agent, name: agent }));
    await test.database.asTenant("acme", (query) => query.insertInto("toolwright.agents").values(agents).execute());
    schedules = createPostgresSchedules(test.database, { ids: createRandomIds(), now: Date.now });
  });
  afterEach(async () => {
    bench.done.length = 0;
    await worker?.stop(1_000);
    worker = undefined;
  });
  afterAll(async () => {
    catalogue.close();
    await test.cleanup();
  });

  const common = { tenant: "acme", door: "rest", source: "api" } as const;
  async function member(role = "owner") {
    const user = `usr_${++number}`;
    await test.database.asSystem((query) =>
      query
        .insertInto("toolwright.users")
        .values({ id: user, name: user, email: `${user}@example.org` })
        .execute(),
    );
    await join(user, role);
    return { ...common, actor: { kind: "user", id: user }, permissions: [write] } as const;
  }
  const join = (user: string, role: string) =>
    test.database.asSystem((query) => query.insertInto("toolwright.memberships").values({ tenant: "acme", user_id: user, role }).execute());
  const leave = (user: string) =>
    test.database.asSystem((query) => query.deleteFrom("toolwright.memberships").where("user_id", "=", user).execute());
  async function keyOf(more: { user?: string; permissions?: string[] } = {}) {
    const wanted = { name: "ci", permissions: [write], by: "test", ...more };
    const { key, record } = await identity.createApiKey("acme", wanted);
    const identified = await identity.identifyKey(key);
    if (!identified) throw new Error("The key is not known.");
    return { id: record.id, principal: { ...common, ...identified } };
  }
  async function hookOf(principal: Principal) {
    const hooks = createPostgresHooks(test.database);
    const id = `hook_${++number}`;
    const hook = { tenant: "acme", id, name: id, agent: "helper", channel: "log", secret: "HOOK", principal, createdAt: 0 };
    await hooks.add(hook);
    return { hook, remove: async () => void (await hooks.remove(hook)) };
  }
  const ended = ({ id }: JobRecord, principal: Principal) =>
    until(
      () => bench.jobs.get(principal, id),
      ({ state }) => !["blocked", "queued", "running"].includes(state),
    );
  const runJob = async (principal: Principal, between: () => Promise<unknown> = async () => {}) => {
    const job = await bench.jobs.enqueue(principal, guarded);
    await between();
    worker = await bench.work();
    return ended(job, principal);
  };

  it("knows nobody, and then stored rights stand: who makes jobs is known elsewhere", async () => {
    const stranger: Principal = { ...common, actor: { kind: "user", id: "of-an-application" }, permissions: [write] };
    expect(await runJob(stranger)).toMatchObject({ state: "done" });
  });

  it("is the member that made it", async () => {
    expect(await runJob(await member())).toMatchObject({ state: "done" });
  });

  it("has no more rights than its maker has left, and says which it lost (R-TN-1)", async () => {
    const maker = await member();
    const demote = () => identity.setMemberRole("acme", { who: maker.actor.id, role: "viewer" });
    await member();
    const job = await runJob(maker, demote);
    expect(job).toMatchObject({ state: "failed", reason: expect.stringContaining(`has since lost ${write}`) });
    expect(bench.done).toEqual([]);
  });

  const lessRights: readonly (readonly [string, () => Promise<Maker>])[] = [
    [
      "the key that its maker came with",
      async () => {
        const { actor } = await member();
        const { id, principal } = await keyOf({ user: actor.id });
        const narrow = () =>
          test.database.asTenant("acme", (query) =>
            query.updateTable("toolwright.api_keys").set({ permissions: [] }).where("key_id", "=", id).execute(),
          );
        return { principal, takeAway: async () => void (await narrow()) };
      },
    ],
    [
      "whoever made the hook that made it",
      async () => {
        const from = await member();
        const { hook } = await hookOf(from);
        return {
          principal: hookPrincipal(hook),
          takeAway: () => identity.setMemberRole("acme", { who: from.actor.id, role: "viewer" }),
        };
      },
    ],
    [
      "whoever started the sub-agent that made it",
      async () => {
        const from = await member();
        const { principal } = bench.engine.scope(from, { session: "s1" }).child({ agent: "another" });
        return { principal, takeAway: () => identity.setMemberRole("acme", { who: from.actor.id, role: "viewer" }) };
      },
    ],
  ];

  it.each(lessRights)("has no more rights than %s has left, and says which it lost (R-TN-1)", async (_, make) => {
    await member();
    const { principal, takeAway } = await make();
    expect(await runJob(principal, takeAway)).toMatchObject({
      state: "failed",
      reason: expect.stringContaining(`has since lost ${write}`),
    });
    expect(bench.done).toEqual([]);
  });

  it("never has more rights than it was made with", async () => {
    const maker = { ...(await member("viewer")), permissions: [] };
    const promote = () => identity.setMemberRole("acme", { who: maker.actor.id, role: "owner" });
    expect(await runJob(maker, promote)).toMatchObject({ state: "failed" });
    expect(bench.done).toEqual([]);
  });

  const makers: readonly (readonly [string, RegExp, () => Promise<Maker>])[] = [
    [
      "whose membership ended",
      /no member of tenant acme/,
      async () => {
        const principal = await member();
        const { id } = principal.actor;
        return { principal, takeAway: async () => void (await leave(id)), giveBack: async () => void (await join(id, "owner")) };
      },
    ],
    [
      "whose account is gone",
      /no member of tenant acme/,
      async () => {
        const principal = await member();
        await member();
        const remove = () =>
          test.database.asSystem((query) => query.deleteFrom("toolwright.users").where("id", "=", principal.actor.id).execute());
        return { principal, takeAway: async () => void (await remove()) };
      },
    ],
    [
      "whose key was revoked",
      /key was revoked or has expired/,
      async () => {
        const { id, principal } = await keyOf();
        return { principal, takeAway: () => identity.revokeApiKey("acme", id) };
      },
    ],
    [
      "whose key expired",
      /key was revoked or has expired/,
      async () => {
        const { id, principal } = await keyOf();
        const expire = () =>
          test.database.asSystem((query) =>
            query
              .updateTable("toolwright.api_keys")
              .set({ expires_at: new Date(1) })
              .where("key_id", "=", id)
              .execute(),
          );
        return { principal, takeAway: async () => void (await expire()) };
      },
    ],
    [
      "who stays, but came with a key that was revoked",
      /API key .* was revoked or has expired/,
      async () => {
        const { actor } = await member();
        const { id, principal } = await keyOf({ user: actor.id });
        return { principal, takeAway: () => identity.revokeApiKey("acme", id) };
      },
    ],
    [
      "whose agent is gone",
      /Agent helper of tenant acme was deleted/,
      async () => {
        const remove = () =>
          test.database.asTenant("acme", (query) => query.deleteFrom("toolwright.agents").where("agent", "=", "helper").execute());
        return { principal: { ...(await member()), agent: "helper" }, takeAway: async () => void (await remove()) };
      },
    ],
    [
      "that is a hook which was removed",
      /hook hook_\d+, to which it was sent, was removed/,
      async () => {
        const { hook, remove } = await hookOf(await member());
        return { principal: hookPrincipal(hook), takeAway: remove };
      },
    ],
    [
      "that is a hook whose maker is gone",
      /no member of tenant acme/,
      async () => {
        const from = await member();
        const { hook } = await hookOf(from);
        return { principal: hookPrincipal(hook), takeAway: async () => void (await leave(from.actor.id)) };
      },
    ],
    [
      "who started the sub-agent that made it and is gone",
      /no member of tenant acme/,
      async () => {
        const from = await member();
        const { principal } = bench.engine.scope(from, { session: "s1" }).child({ agent: "another" });
        return { principal, takeAway: async () => void (await leave(from.actor.id)) };
      },
    ],
  ];

  it.each(makers)("is nobody for a maker %s: its job is denied, and its schedule rests and says why", async (_, why, make) => {
    const { principal, takeAway, giveBack } = await make();
    const name = `schedule-${++number}`;
    const schedule = await schedules.add(principal, { ...guarded, name, when: { cron: "* * * * *" } });
    const due = () =>
      test.database.asSystem((query) =>
        query
          .updateTable("toolwright.schedules")
          .set({ next_at: new Date(Math.floor(Date.now() / 60_000) * 60_000) })
          .where("schedule", "=", schedule.id)
          .execute(),
      );
    const job = await runJob(principal, async () => {
      await takeAway();
      await due();
    });
    expect(job).toMatchObject({ state: "denied", attempts: 0, reason: expect.stringMatching(why) });
    expect(job.reason).toContain("redrive it");
    const own = async () => (await schedules.list(principal)).find(({ id }) => id === schedule.id);
    const paused = await until(own, (found) => found?.isPaused === true, 5_000);
    expect(paused).toMatchObject({ pauseReason: expect.stringMatching(why), nextAt: expect.any(Number) });
    expect(paused?.pauseReason).toContain("resume it");
    expect(bench.done).toEqual([]);
    if (giveBack) {
      await giveBack();
      await bench.jobs.redrive(principal, job.id);
      expect(await ended(job, principal)).toMatchObject({ state: "done" });
      const resumed = await schedules.pause(principal, schedule.id, false);
      expect(resumed).toMatchObject({ isPaused: false });
      expect(resumed).not.toHaveProperty("pauseReason");
    }
    await schedules.remove(principal, schedule.id);
  });

  it("is not an agent for which the tool is not enabled any more", async () => {
    const maker = { ...(await member()), agent: "narrow" };
    const job = await runJob(maker, () => catalogue.agents.change("acme", "narrow", { restricted: true }));
    expect(job).toMatchObject({ state: "failed", result: { error: { code: "tool_not_found" } } });
    expect(bench.done).toEqual([]);
  });

  it("is the operator, whom no tenant knows", async () => {
    const operator: Principal = { ...common, actor: { kind: "user", id: "root" }, permissions: [write], door: "cli" };
    const made = await Promise.all([1, 2].map(() => bench.jobs.enqueue(operator, guarded)));
    worker = await bench.work({ isOperator: ({ door }) => door === "cli" });
    for (const job of made) expect(await ended(job, operator)).toMatchObject({ state: "done" });
    await worker.stop(1_000);
    expect(await runJob(operator)).toMatchObject({ state: "denied", reason: expect.stringMatching(/root is no member/) });
  });
});
