import type { ApprovalRecord, GrantRecord } from "@toolwright/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresApprovalStore } from "../approvals/postgres-approval-store.ts";
import { createPostgresGrantStore } from "../grants/postgres-grant-store.ts";
import { createPostgresIdempotencyStore } from "../idempotency/postgres-idempotency-store.ts";
import { createPostgresLimiter } from "../limits/postgres-limiter.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { tidyCalls } from "./tidy-calls.ts";

const day = 24 * 60 * 60 * 1000;
const start = 1_700_000_000_000;
const by = { kind: "user", id: "ann" } as const;
const approval = (id: string) =>
  ({
    id,
    callId: "c",
    principal: { tenant: "acme", actor: by, permissions: [], door: "mcp" },
    createdAt: start,
    expiresAt: start + day,
  }) as unknown as ApprovalRecord;
const grant = (id: string, more: Partial<GrantRecord> = {}): GrantRecord => ({
  id,
  tenant: "acme",
  tool: "exec",
  definition: "d",
  scope: { kind: "tenant" },
  allows: [{ kind: "command", pattern: "npm test" }],
  by,
  createdAt: start,
  expiresAt: start + 100 * day,
  maxUses: 1,
  ...more,
});

describe.each(testDatabaseKinds)("what is over, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  it("is told of once and removed after the time that is kept; what is not over stays", async () => {
    const { database } = test;
    const approvals = createPostgresApprovalStore(database);
    const grants = createPostgresGrantStore(database);
    const keys = createPostgresIdempotencyStore(database, { process: "p1" });
    for (const id of ["apr_open", "apr_yes", "apr_ran"]) await approvals.create(approval(id));
    await approvals.answer("acme", "apr_yes", { outcome: { kind: "approve" }, by, at: start });
    await approvals.claim("acme", "apr_ran", start);
    for (const id of ["grt_live", "grt_used", "grt_revoked"]) await grants.create(grant(id));
    await grants.use("acme", "grt_used", start);
    await grants.revoke("acme", "grt_revoked", { by, at: start });
    const claim = { tenant: "acme", fingerprint: "f", at: start, expiresAt: start + day };
    await keys.claim({ ...claim, key: "running", callId: "c1" });
    await keys.claim({ ...claim, key: "ended", callId: "c2" });
    await keys.settle({ tenant: "acme", callId: "c2" }, { status: "cancelled" } as never);
    await createPostgresLimiter(database).reserve({ tenant: "acme", key: "k" }, { count: 1, windowMs: day }, start);

    const expired: string[] = [];
    const tidy = (now: number) => tidyCalls(database, { now, keepMs: 30 * day, onExpired: ({ id }) => void expired.push(id) });
    expect(await tidy(start + day - 1)).toBe(0);
    expect(expired).toEqual([]);
    await Promise.all([tidy(start + day + 1), tidy(start + day + 1)]);
    await tidy(start + day + 1);
    expect(expired).toEqual(["apr_open"]);
    expect((await approvals.get("acme", "apr_open"))?.expiredAt).toBe(start + day);
    expect((await approvals.get("acme", "apr_yes"))?.expiredAt).toBeUndefined();
    expect((await keys.claim({ ...claim, key: "running", callId: "c3" })).kind).toBe("running");
    expect(await keys.claim({ ...claim, key: "ended", callId: "c3" })).toEqual({ kind: "claimed" });
    expect(await database.asSystem((query) => query.selectFrom("toolwright.rate_counters").selectAll().execute())).toEqual([]);

    await tidy(start + 31 * day + 1);
    expect(await approvals.list("acme")).toEqual([]);
    expect((await grants.list("acme")).map(({ record }) => record.id)).toEqual(["grt_live"]);
  });
});
