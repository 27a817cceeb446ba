import type { ApprovalRecord } from "@toolwright/engine";
import { approvalStoreConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresApprovalStore } from "./postgres-approval-store.ts";

const record = (id: string, more: Partial<ApprovalRecord> = {}): ApprovalRecord => ({
  id,
  callId: `call_${id}`,
  tool: "pay",
  principal: { tenant: "acme", actor: { kind: "agent", id: "helper" }, permissions: [], door: "mcp" },
  session: "s1",
  input: { euros: 5 },
  binding: { input: "i", definition: "d", policyRevision: "r1", secrets: "s", caller: "c", disclosed: "r", world: "w" },
  decision: { effect: "ask", layer: "tool", rule: "r", reason: "Ask first.", revision: "r1", findings: [] },
  summary: "Pay",
  createdAt: 1,
  expiresAt: 1_000,
  ...more,
});
const yes = (id: string) => ({ outcome: { kind: "approve" }, by: { kind: "user", id }, at: 5 }) as const;

describe.each(testDatabaseKinds)("approvals in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.approvals`.execute(query));
    const store = createPostgresApprovalStore(test.database, { process: "p1" });
    return { store, reopen: async () => createPostgresApprovalStore(test.database, { process: "p2" }), cleanup: async () => {} };
  };
  for (const { name, run } of approvalStoreConformance(open)) it(name, run);

  it("gives back every text that JSON can carry, and the parts of what it is bound to", async () => {
    const { store } = await open();
    const odd = record("apr_odd", { input: { nul: "a\u0000b", surrogate: "\ud800", quote: '"\\\n' } });
    const bound = { ...odd, binding: { ...odd.binding, parts: [["/bin/a\u0000", "mark"]] as const } };
    await store.create(bound);
    expect((await store.get("acme", "apr_odd"))?.record).toEqual(bound);
  });

  it("refuses a second record of the same id", async () => {
    const { store } = await open();
    await store.create(record("apr_1"));
    await expect(store.create(record("apr_1", { summary: "Other" }))).rejects.toMatchObject({ code: "internal" });
    expect((await store.get("acme", "apr_1"))?.record.summary).toBe("Pay");
  });

  it("tells who listens that an approval was asked for and answered", async () => {
    const { store } = await open();
    const heard: unknown[] = [];
    const stop = test.database.listen("approvals", (announcement) => announcement?.id === "apr_heard" && heard.push(announcement));
    await store.create(record("apr_heard"));
    await expect.poll(() => heard).toEqual([{ topic: "approvals", tenant: "acme", id: "apr_heard" }]);
    await store.answer("acme", "apr_heard", yes("ann"));
    await expect.poll(() => heard.length).toBe(2);
    stop();
  });
});

describe("approvals of two processes on one server", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase("server");
  });
  afterAll(() => test.cleanup());

  it("are answered once and claimed once, however both race (R-AP-4)", async () => {
    const stores = [
      createPostgresApprovalStore(test.database, { process: "p1" }),
      createPostgresApprovalStore(await test.reopen(), { process: "p2" }),
    ];
    for (let round = 0; round < 100; round += 1) {
      const id = `apr_race_${round}`;
      await stores[0]?.create(record(id));
      const answers = await Promise.all(stores.map((store, n) => store.answer("acme", id, yes(`person ${n}`))));
      expect(answers.filter(Boolean)).toHaveLength(1);
      const claims = await Promise.all(stores.map((store, n) => store.claim("acme", id, 10 + n)));
      expect(claims.filter(Boolean)).toHaveLength(1);
      const stored = await stores[1]?.get("acme", id);
      expect(stored).toMatchObject({ claimedAt: 10 + claims.indexOf(true), answer: { by: { id: `person ${answers.indexOf(true)}` } } });
    }
  });

  it("answered in one are seen in the other", async () => {
    const other = createPostgresApprovalStore(await test.reopen());
    await createPostgresApprovalStore(test.database).create(record("apr_two"));
    expect(await other.answer("acme", "apr_two", yes("ann"))).toBe(true);
    expect((await createPostgresApprovalStore(test.database).get("acme", "apr_two"))?.answer).toEqual(yes("ann"));
  });
});
