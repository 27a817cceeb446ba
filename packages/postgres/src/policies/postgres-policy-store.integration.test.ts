import { createEngine, defineTool } from "@toolwright/engine";
import { MANAGE_POLICY } from "@toolwright/engine/ports";
import { policyStoreConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { openEmbedded } from "../embedded/open-embedded.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { openPostgresPolicyStore, type PostgresPolicyStore } from "./postgres-policy-store.ts";

const pay = defineTool({
  name: "pay",
  description: "Pays nothing.",
  input: z.object({}),
  output: z.object({}),
  run: () => ({}),
});

describe.each(testDatabaseKinds)("policies of tenants in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  /** As another process sees the same database. */
  let elsewhere: Database;
  const opened: PostgresPolicyStore[] = [];
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    elsewhere = test.folder === undefined ? await test.reopen() : await openEmbedded(test.folder, { holder: "another process" });
  });
  afterAll(async () => {
    for (const store of opened) store.close();
    if (test.folder !== undefined) await elsewhere.close();
    await test.cleanup();
  });

  const warnings: string[] = [];
  const openStore = async (database: Database) => {
    const store = await openPostgresPolicyStore(database, { warn: (message) => warnings.push(message) });
    opened.push(store);
    return store;
  };
  const open = async () => {
    for (const store of opened.splice(0)) store.close();
    await test.database.asSystem((query) => sql`delete from toolwright.policy_versions`.execute(query));
    return { store: await openStore(test.database), reopen: () => openStore(elsewhere) };
  };
  for (const { name, run } of policyStoreConformance(open)) it(name, run);

  it("lets nobody change or remove a version as a tenant", async () => {
    const { store } = await open();
    await store.put({ tenant: "acme", document: {}, author: { kind: "user", id: "ann" }, note: "One", at: 1, read: 0 });
    for (const attempt of [sql`update toolwright.policy_versions set note = 'x'`, sql`delete from toolwright.policy_versions`])
      await expect(test.database.asTenant("acme", (query) => attempt.execute(query))).rejects.toThrow(/permission denied|lacks a right/);
  });

  it("decides by a change that another process made, without being asked", async () => {
    const { store, reopen } = await open();
    const engines = [createEngine({ tools: [pay], policies: store }), createEngine({ tools: [pay], policies: await reopen() })] as const;
    const ann = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [MANAGE_POLICY] } as const;
    const there = engines[1].scope(ann);
    const heard = new Promise<void>((resolve) => engines[1].onChange(resolve));
    expect(await there.invoke("pay", {})).toMatchObject({ status: "done" });
    await engines[0].operate(ann, "policy.put", { document: { tools: { deny: ["pay"] } }, read: 0, note: "No payments" });
    const startedAt = performance.now();
    await heard;
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(await there.invoke("pay", {})).toMatchObject({ status: "denied", decision: { rule: "tenant.tools.deny[0]" } });
    expect(warnings).toEqual([]);
  });
});
