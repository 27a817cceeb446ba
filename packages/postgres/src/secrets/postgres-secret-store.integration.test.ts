import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { ANSWER_APPROVALS, createEngine, defineTool, type Principal } from "@toolwright/engine";
import { type OpenSecretStore, secretAdminConformance, secretStoreConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { restoreBackup } from "../backup/restore-backup.ts";
import { writeBackup } from "../backup/write-backup.ts";
import type { Database } from "../database/database.ts";
import { migrate } from "../migrate/migrate.ts";
import { countWaiting } from "../testing/count-waiting.ts";
import { openEmptyDatabase, openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createKeyring, toMasterKey } from "./keyring.ts";
import { createPostgresSecretStore, type PostgresSecretStore } from "./postgres-secret-store.ts";

const oldKey = toMasterKey(randomBytes(32));
const newKey = toMasterKey(randomBytes(32));
const keyring = createKeyring([oldKey]);

function payingTool(run: (secrets: { get(name: string): Promise<string> }) => unknown) {
  return defineTool({
    name: "pay",
    description: "Pays.",
    input: z.object({}),
    output: z.object({ paid: z.boolean() }),
    effects: { secrets: ["BANK"] },
    approval: "always_ask",
    async run(_, { secrets }) {
      await run(secrets);
      return { paid: true };
    },
  });
}

/** Calls of an agent, each approved by a person, that wait to be resumed. */
function openPayments(pay: ReturnType<typeof payingTool>, secrets: PostgresSecretStore) {
  const engine = createEngine({ tools: [pay], secrets });
  const helper: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };
  const ann: Principal = {
    tenant: "acme",
    actor: { kind: "user", id: "ann" },
    permissions: [ANSWER_APPROVALS],
    door: "cli",
    interactive: true,
  };
  const scope = engine.scope(helper, { session: "s" });
  const person = engine.scope(ann, { session: "s-ann" });
  return {
    async ask() {
      const result = await scope.invokeNamed("pay", {});
      if (result.status !== "pending") throw new Error(JSON.stringify(result));
      await person.answer(result.approval.id, { kind: "approve" });
      return result.approval.id;
    },
    resume: (id: string) => scope.resume(id),
  };
}

describe.each(testDatabaseKinds)("secrets in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  const stores: PostgresSecretStore[] = [];
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  // Each that is open reads all secrets of a tenant when one of them is set.
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });
  afterAll(() => test.cleanup());

  const open = async (keys = keyring, database: Database = test.database) => {
    const store = await createPostgresSecretStore(database, keys);
    stores.push(store);
    return store;
  };
  const empty = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.secrets`.execute(query));
    return open();
  };
  const setMany = async (store: PostgresSecretStore, count: number) => {
    for (let index = 0; index < count; index += 1) await store.set({ tenant: "acme", name: `KEY_${index}` }, `value number ${index}`);
  };

  const openEmpty = async () => {
    const store = await empty();
    const set: OpenSecretStore["set"] = async (tenant, name, value, { agent, binding } = {}) => {
      if (value === undefined) await store.remove({ tenant, name, agent });
      else await store.set({ tenant, name, agent }, value, binding && { ...binding, hosts: binding.origins });
    };
    return { store, set, cleanup: async () => store.close() };
  };
  for (const { name, run } of secretStoreConformance(openEmpty)) it(name, run);
  const openAdmin = async () => ({ secrets: await empty(), cleanup: async () => {} });
  for (const { name, run } of secretAdminConformance(openAdmin)) it(name, run);

  it("shows the master key that a secret needs", async () => {
    const store = await empty();
    await store.set({ tenant: "acme", name: "KEY" }, "the value itself");
    expect(await store.list("acme")).toMatchObject([{ name: "KEY", keyId: oldKey.id }]);
  });

  it("refuses rows that were swapped, written for another tenant, or changed, and says which (R-TN-1)", async () => {
    const store = await empty();
    await store.set({ tenant: "acme", name: "ONE" }, "value of one");
    await store.set({ tenant: "acme", name: "TWO" }, "value of two");
    await store.set({ tenant: "other", name: "ONE" }, "value of other");
    await test.database.asSystem((query) =>
      sql`update toolwright.secrets t set sealed = o.sealed, wrapped_key = o.wrapped_key from toolwright.secrets o
        where (t.tenant, t.name, o.tenant, o.name) in (('acme', 'ONE', 'acme', 'TWO'), ('acme', 'TWO', 'acme', 'ONE'), ('other', 'ONE', 'acme', 'ONE'))`.execute(
        query,
      ),
    );
    for (const [tenant, name] of [
      ["acme", "ONE"],
      ["acme", "TWO"],
      ["other", "ONE"],
    ] as const)
      await expect(store.get(tenant, name)).rejects.toMatchObject({
        code: "secret_unreadable",
        message: expect.stringContaining(`"${name}" of the tenant "${tenant}"`),
      });
    const { unreadable } = await store.check();
    expect(unreadable).toHaveLength(3);
    await store.set({ tenant: "acme", name: "ONE" }, "set anew");
    expect(await store.get("acme", "ONE")).toBe("set anew");
  });

  it("refuses a secret that was bound to other hosts in the database, and one that was unbound (R-TN-1, R-NW-5)", async () => {
    const store = await empty();
    await store.set({ tenant: "acme", name: "KEY" }, "a bound value", { hosts: ["api.example"] });
    const { binding } = await test.database.asSystem((query) =>
      query.selectFrom("toolwright.secrets").select("binding").executeTakeFirstOrThrow(),
    );
    for (const changed of [binding?.replace("api.example", "evil.example"), null]) {
      await test.database.asSystem((query) => sql`update toolwright.secrets set binding = ${changed}`.execute(query));
      await expect(store.getBound("acme", "KEY")).rejects.toMatchObject({ code: "secret_unreadable" });
      await expect(store.get("acme", "KEY")).rejects.toMatchObject({ code: "secret_unreadable" });
    }
    await test.database.asSystem((query) => sql`update toolwright.secrets set binding = ${binding}`.execute(query));
    expect(await store.getBound("acme", "KEY")).toEqual({ origins: ["https://api.example"], value: "a bound value" });
  });

  it("says which key is missing, and opens again once it is there", async () => {
    const store = await empty();
    await store.set({ tenant: "acme", name: "KEY" }, "under the old key");
    const without = await open(createKeyring([newKey]));
    expect(without.has("acme", "KEY")).toBe(true);
    await expect(without.get("acme", "KEY")).rejects.toMatchObject({
      code: "secret_unreadable",
      message: expect.stringContaining(oldKey.id),
    });
    expect(await without.check()).toMatchObject({
      currentKeyId: newKey.id,
      needed: [{ keyId: oldKey.id, secrets: 1, isCurrent: false, isKnown: false }],
      unreadable: [{ tenant: "acme", name: "KEY" }],
    });
    expect(await (await open(createKeyring([newKey, oldKey]))).get("acme", "KEY")).toBe("under the old key");
  });

  it("brings more than a batch under a new key, after which the old one can go (R-TN-2)", async () => {
    const store = await empty();
    await setMany(store, 120);
    const generation = store.generation("acme", "KEY_7");
    const rotating = await open(createKeyring([newKey, oldKey]));
    expect(await rotating.rotate()).toEqual({ keyId: newKey.id, rewrapped: 120, unreadable: [] });
    expect(await rotating.rotate()).toMatchObject({ rewrapped: 0 });
    expect((await rotating.check()).needed).toEqual([{ keyId: newKey.id, secrets: 120, isCurrent: true, isKnown: true }]);
    const later = await open(createKeyring([newKey]));
    expect(await later.get("acme", "KEY_119")).toBe("value number 119");
    expect(later.generation("acme", "KEY_7")).toBe(generation);
  });

  it("rotates past what it cannot read, and names it", async () => {
    const store = await empty();
    await setMany(store, 3);
    await test.database.asSystem((query) => sql`update toolwright.secrets set wrapped_key = '\\x00' where name = 'KEY_1'`.execute(query));
    const { rewrapped, unreadable } = await (await open(createKeyring([newKey, oldKey]))).rotate();
    expect(rewrapped).toBe(2);
    expect(unreadable).toMatchObject([{ tenant: "acme", name: "KEY_1", reason: expect.stringContaining("damaged") }]);
  });

  const changes: [string, (store: PostgresSecretStore) => Promise<unknown>][] = [
    ["was set anew, to the same value", (store) => store.set({ tenant: "acme", name: "BANK" }, "bank-key-1")],
    ["became one of the agent's own", (store) => store.set({ tenant: "acme", name: "BANK", agent: "helper" }, "bank-key-2")],
  ];
  it.each(changes)("voids an approval that waits for a call whose secret %s", async (_, change) => {
    const store = await empty();
    await store.set({ tenant: "acme", name: "BANK" }, "bank-key-1");
    const run = vi.fn();
    const { ask, resume } = openPayments(payingTool(run), store);
    expect(await resume(await ask())).toMatchObject({ status: "done" });
    const waiting = await ask();
    await change(store);
    expect(await resume(waiting)).toMatchObject({
      status: "failed",
      error: { code: "approval_void", message: expect.stringContaining("secret") },
    });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it.runIf(kind === "embedded")(
    "are in a backup as they are stored, and open on a server with the key alone",
    { timeout: 60_000 },
    async () => {
      const store = await empty();
      await store.set({ tenant: "acme", name: "KEY", agent: "coder" }, "value in a backup");
      const lines: string[] = [];
      await writeBackup(test.database, async (some) => void lines.push(...some.trimEnd().split("\n")));
      for (const form of ["value in a backup", Buffer.from("value in a backup").toString("hex")])
        expect(lines.join("")).not.toContain(form);
      const other = await openEmptyDatabase("server");
      try {
        await migrate(other.database.owner);
        await restoreBackup(other.database, Readable.from(lines));
        expect(await (await open(keyring, other.database)).get("acme", "KEY", "coder")).toBe("value in a backup");
        expect((await (await open(createKeyring([newKey]), other.database)).check()).unreadable).toHaveLength(1);
      } finally {
        await other.cleanup();
      }
    },
  );

  it("takes an agent's secrets along when the agent is removed, and says so to the other processes", async () => {
    const store = await empty();
    await store.set({ tenant: "acme", name: "KEY", agent: "leaver" }, "value of leaver");
    await test.database.asTenant("acme", (query) =>
      sql`insert into toolwright.agents (tenant, agent, name) values ('acme', 'leaver', 'Leaver')`.execute(query),
    );
    await test.database.asTenant("acme", (query) => sql`delete from toolwright.agents where agent = 'leaver'`.execute(query));
    expect(await store.get("acme", "KEY", "leaver")).toBeUndefined();
    await vi.waitFor(() => expect(store.has("acme", "KEY", "leaver")).toBe(false), { timeout: 15_000, interval: 50 });
  });
});

describe("secrets of two processes on one server", () => {
  let test: TestDatabase;
  let second: Database;
  beforeAll(async () => {
    test = await openTestDatabase("server");
    second = await test.reopen();
  });
  afterAll(() => test.cleanup());

  it("are known to the other within moments: set, replaced and removed", async () => {
    const [here, there] = [await createPostgresSecretStore(test.database, keyring), await createPostgresSecretStore(second, keyring)];
    const { generation } = await here.set({ tenant: "acme", name: "KEY" }, "first value");
    await vi.waitFor(() => expect(there.generation("acme", "KEY")).toBe(generation), { timeout: 2000 });
    const again = await there.set({ tenant: "acme", name: "KEY" }, "second value");
    await vi.waitFor(() => expect(here.generation("acme", "KEY")).toBe(again.generation), { timeout: 2000 });
    await here.remove({ tenant: "acme", name: "KEY" });
    await vi.waitFor(() => expect(there.has("acme", "KEY")).toBe(false), { timeout: 2000 });
    await here.close();
    await there.close();
  });

  it("are removed and set by both at the same moment, and neither waits for the other for ever", async () => {
    const store = await createPostgresSecretStore(second, keyring);
    await store.set({ tenant: "acme", name: "KEY" }, "first value");
    const { owner } = test.database;
    // Who sets one takes the revision first, and then the row.
    const { removing } = await owner.transaction().execute(async (query) => {
      await sql`select from toolwright.revisions where tenant = 'acme' and area = 'secrets' for update`.execute(query);
      const removing = store.remove({ tenant: "acme", name: "KEY" });
      removing.catch(() => {});
      await expect.poll(() => countWaiting(owner)).toBe(1);
      await sql`update toolwright.secrets set changed_at = now() where name = 'KEY'`.execute(query);
      return { removing };
    });
    expect(await removing).toBe(true);
    await store.close();
  });

  it("that one sets void what the other approved, also before it was told", async () => {
    const [here, there] = [await createPostgresSecretStore(test.database, keyring), await createPostgresSecretStore(second, keyring)];
    const used: string[] = [];
    const pay = payingTool(async (secrets) => used.push(await secrets.get("BANK")));
    const { ask, resume } = openPayments(pay, there);
    for (let round = 1; round <= 5; round += 1) {
      await there.set({ tenant: "acme", name: "BANK" }, `bank-key-${round}`);
      const waiting = await ask();
      await here.set({ tenant: "acme", name: "BANK" }, `replaced-in-round-${round}`);
      expect(await resume(waiting)).toMatchObject({ status: "failed", error: { code: "approval_void" } });
    }
    expect(used).toEqual([]);
    await here.remove({ tenant: "acme", name: "BANK" });
    await here.close();
    await there.close();
  });

  it("are read and set by both while their keys are rotated, and none is lost (R-TN-2)", async () => {
    const keys = createKeyring([newKey, oldKey]);
    const before = await createPostgresSecretStore(test.database, keyring);
    for (let index = 0; index < 120; index += 1) await before.set({ tenant: "acme", name: `KEY_${index}` }, `value ${index} of round 0`);
    const [here, there] = [await createPostgresSecretStore(test.database, keys), await createPostgresSecretStore(second, keys)];
    const last = new Map<string, string>();
    let running = true;
    let reads = 0;
    let round = 0;
    const use = async (store: PostgresSecretStore, from: number) => {
      for (let index = from; running; index = (index + 7) % 120) {
        const name = `KEY_${index}`;
        expect(await store.get("acme", name)).toMatch(new RegExp(`^value ${index} of round \\d+$`));
        reads += 1;
        if (index % 2 !== from % 2) continue;
        round += 1;
        const value = `value ${index} of round ${round}`;
        await store.set({ tenant: "acme", name }, value);
        last.set(name, value);
      }
    };
    const load = [use(here, 0), use(there, 1)];
    const rotated = await here.rotate();
    await vi.waitFor(() => expect(reads).toBeGreaterThan(50), { timeout: 10_000 });
    running = false;
    await Promise.all(load);
    expect(rotated.unreadable).toEqual([]);
    expect((await here.check()).needed).toEqual([{ keyId: newKey.id, secrets: 120, isCurrent: true, isKnown: true }]);
    const onlyNew = await createPostgresSecretStore(second, createKeyring([newKey]));
    for (let index = 0; index < 120; index += 1)
      expect(await onlyNew.get("acme", `KEY_${index}`)).toBe(last.get(`KEY_${index}`) ?? `value ${index} of round 0`);
    for (const store of [before, here, there, onlyNew]) await store.close();
  });
});
