import { randomUUID } from "node:crypto";
import type { ApprovalRecord } from "@toolwright/engine";
import type { GrantRecord, Removed } from "@toolwright/engine/ports";
import { anchorHeads } from "@toolwright/engine/ports";
import { createManualClock, type ManualClock, makeCall, readAll } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPostgresApprovalStore } from "../approvals/postgres-approval-store.ts";
import { createPostgresArtifactStore } from "../artifacts/postgres-artifact-store.ts";
import type { Database } from "../database/database.ts";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { createPostgresSessionReader } from "../events/postgres-session-reader.ts";
import { verifyLog } from "../events/verify-log.ts";
import { createPostgresGrantStore } from "../grants/postgres-grant-store.ts";
import { createPostgresIdempotencyStore } from "../idempotency/postgres-idempotency-store.ts";
import { createAccounts } from "../identity/accounts.ts";
import { createPostgresLimiter } from "../limits/postgres-limiter.ts";
import { noteExpired } from "../recovery/note-expired.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createRetention, type RetentionOptions } from "./retention.ts";

const day = 24 * 60 * 60 * 1000;
const by = { kind: "user", id: "ann" } as const;
const inTheLog = { logMs: 90 * day };

describe.each(testDatabaseKinds)("retention, %s", (kind) => {
  let test: TestDatabase;
  let database: Database;
  let clock: ManualClock;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    database = test.database;
  });
  beforeEach(async () => {
    clock = createManualClock(Date.now());
    await sql`truncate toolwright.sessions, toolwright.events, toolwright.event_writers, toolwright.calls_in_flight, toolwright.artifact_contents,
      toolwright.approvals, toolwright.grants, toolwright.idempotency_keys, toolwright.rate_counters, toolwright.jobs, toolwright.upkeep cascade`.execute(
      database.owner,
    );
  });
  afterAll(() => test.cleanup());

  const retain = (options: Partial<RetentionOptions> = {}, on = database) =>
    createRetention(on, { process: randomUUID(), clock, ...options });
  const addCall = async (session: string, { hasEnded = true } = {}) => {
    const call = makeCall(hasEnded ? "tool.completed" : undefined, { session, callId: `call_${session}`, at: clock.now() });
    await createPostgresEventLog(database, "p1").append(call);
    // They are old by the clock of the test at once.
    await sql`delete from toolwright.event_writers`.execute(database.owner);
  };
  const keepFile = async (session: string, callId = `call_${session}`) => {
    const writer = await createPostgresArtifactStore(database).create({ tenant: "acme", session, callId }, { name: "a", mediaType: "a/b" });
    await writer.write(Buffer.from(`of ${session}`));
    return writer.finish();
  };
  const sessionsLeft = async () => {
    const { rows } = await sql<{ session: string }>`select distinct session from toolwright.events order by session`.execute(
      database.owner,
    );
    return rows.map(({ session }) => session);
  };

  it("keeps the log for ever unless it is told otherwise", async () => {
    await addCall("s1");
    await keepFile("s1");
    await clock.advance(9_999 * day);
    expect(await retain().tidy()).not.toHaveProperty("events");
    expect(await sessionsLeft()).toEqual(["s1"]);
  });

  it("removes old sessions whole, and the log still verifies against an older anchor; what it would do is what it does", async () => {
    for (const session of ["old1", "old2"]) await addCall(session);
    await keepFile("old1");
    const anchor = await anchorHeads(createPostgresSessionReader(database), { at: 1 });
    await clock.advance(91 * day);
    const retention = retain({ periods: inTheLog });
    const wanted = { sessions: 2, events: 4, artifacts: 1 };
    expect(await retention.preview()).toEqual(wanted);
    expect(await sessionsLeft()).toEqual(["old1", "old2"]);
    expect(await retention.tidy()).toEqual({ ...wanted, "unused records": 1 });
    expect(await retention.last()).toEqual({ at: clock.now(), removed: { ...wanted, "unused records": 1 } });
    expect(await retention.tidy()).toEqual({});
    expect(await readAll(verifyLog(database, { anchor }))).toMatchObject([
      { session: "old1", events: 0, faults: [], removed: { through: 2 } },
      { session: "old2", events: 0, faults: [], removed: { through: 2 } },
    ]);
  });

  it("never takes a session in which a call runs, an approval or a job waits", async () => {
    const states = ["blocked", "queued", "running"];
    for (const session of ["asked", "over", ...states.map((state) => `job ${state}`)]) await addCall(session);
    await addCall("running", { hasEnded: false });
    const approval = {
      id: "apr_1",
      callId: "call_asked",
      principal: { tenant: "acme", actor: by },
      createdAt: clock.now(),
      expiresAt: clock.now() + 400 * day,
    };
    await createPostgresApprovalStore(database).create(approval as unknown as ApprovalRecord);
    for (const state of states)
      await sql`insert into toolwright.jobs (tenant, job, owner, session, principal, tool, input, state, request_digest, retry, run_at, created_at)
        values ('acme', ${state}, 'user ann', ${`job ${state}`}, '{}', 'add', '{}', ${state}, '', '{}', now(), now())`.execute(
        database.owner,
      );
    const running = await keepFile("running");
    await clock.advance(91 * day);
    expect(await retain({ periods: { ...inTheLog, artifactsMs: day } }).tidy()).toMatchObject({ sessions: 1, events: 2 });
    expect(await sessionsLeft()).toEqual(["asked", "job blocked", "job queued", "job running", "running"]);
    expect((await createPostgresArtifactStore(database).read("acme", running.id)).ref.id).toBe(running.id);
  });

  it("keeps artifacts shorter than the log when it is told to", async () => {
    await addCall("s1");
    const { id } = await keepFile("s1");
    await clock.advance(8 * day);
    expect(await retain({ periods: { artifactsMs: 7 * day } }).tidy()).toEqual({ artifacts: 1, "unused records": 1 });
    await expect(createPostgresArtifactStore(database).read("acme", id)).rejects.toMatchObject({ code: "artifact_not_found" });
    expect(await sessionsLeft()).toEqual(["s1"]);
  });

  it("removes what is over of approvals, grants, keys and counters, and nothing that is open", async () => {
    const start = clock.now();
    const approvals = createPostgresApprovalStore(database);
    const grants = createPostgresGrantStore(database);
    const keys = createPostgresIdempotencyStore(database, { process: "p1" });
    for (const id of ["apr_open", "apr_yes", "apr_ran"])
      await approvals.create({
        id,
        callId: "c",
        principal: { tenant: "acme", actor: by },
        createdAt: start,
        expiresAt: start + day,
      } as unknown as ApprovalRecord);
    await approvals.answer("acme", "apr_yes", { outcome: { kind: "approve" }, by, at: start });
    await approvals.claim("acme", "apr_ran", start);
    for (const id of ["grt_live", "grt_used", "grt_revoked"]) await grants.create(grantOf(id, start));
    await grants.create({ ...grantOf("grt_used_once", start), maxUses: 2 });
    for (const id of ["grt_used", "grt_used_once"]) await grants.use("acme", id, start);
    await grants.revoke("acme", "grt_revoked", { by, at: start });
    const claim = { tenant: "acme", fingerprint: "f", at: start, expiresAt: start + day };
    await keys.claim({ ...claim, key: "running", callId: "c1" });
    await keys.claim({ ...claim, key: "ended", callId: "c2" });
    await keys.settle({ tenant: "acme", callId: "c2" }, { status: "cancelled" } as never, start);
    await createPostgresLimiter(database).reserve({ tenant: "acme", key: "k" }, { count: 1, windowMs: day }, start);

    const expired: string[] = [];
    const note = () => noteExpired(database, { now: clock.now(), onExpired: ({ id }) => void expired.push(id) });
    expect(await retain().tidy()).toEqual({});
    await note();
    expect(expired).toEqual([]);
    await clock.advance(day + 1);
    await Promise.all([note(), note()]);
    await note();
    expect(expired).toEqual(["apr_open"]);
    expect((await approvals.get("acme", "apr_open"))?.expiredAt).toBe(start + day);
    expect((await approvals.get("acme", "apr_yes"))?.expiredAt).toBeUndefined();
    expect(await retain().tidy()).toEqual({ "unused records": 2 });
    expect((await keys.claim({ ...claim, key: "running", callId: "c3" })).kind).toBe("running");

    await clock.advance(30 * day);
    expect(await retain().tidy()).toEqual({ approvals: 3, grants: 2 });
    expect((await grants.list("acme")).map(({ record }) => record.id)).toEqual(["grt_live", "grt_used_once"]);
  });

  it("keeps what a rate counts until its window is over", async () => {
    const limiter = createPostgresLimiter(database);
    const reserve = () => limiter.reserve({ tenant: "acme", key: "k" }, { count: 1, windowMs: day }, clock.now());
    await reserve();
    await clock.advance(day - 1);
    expect(await retain().tidy()).toEqual({});
    expect(await reserve()).toEqual({ granted: false, retryAfterMs: 1 });
    await clock.advance(2);
    expect(await retain().tidy()).toEqual({ "unused records": 1 });
  });

  it("removes jobs that are over, but neither dead letters nor what would follow one that had another try", async () => {
    const ends = { done: "done", failed: "failed", unknown: "unknown", denied: "denied", cancelled: "cancelled" };
    const below = { child: ["failed"], grandchild: ["child"], both: ["cancelled", "unknown"], gone: ["cancelled"], alsoGone: ["gone"] };
    const all = [...Object.entries(ends), ...Object.keys(below).map((job) => [job, "skipped"] as const)];
    for (const [job, state] of all)
      await sql`insert into toolwright.jobs (tenant, job, owner, session, principal, tool, input, state, request_digest, retry, run_at, created_at, ended_at)
        values ('acme', ${job}, 'user ann', ${job}, '{}', 'add', '{}', ${state}, '', '{}', now(), now(), ${new Date(clock.now())})`.execute(
        database.owner,
      );
    for (const [job, parents] of Object.entries(below))
      for (const parent of parents)
        await sql`insert into toolwright.job_dependencies (tenant, job, parent) values ('acme', ${job}, ${parent})`.execute(database.owner);
    await clock.advance(30 * day + 1);
    expect(await retain().preview()).toEqual({ jobs: 4 });
    expect(await retain().tidy()).toEqual({ jobs: 4 });
    const { rows } = await sql<{ job: string }>`select job from toolwright.jobs order by job`.execute(database.owner);
    expect(rows.map(({ job }) => job)).toEqual(["both", "child", "denied", "failed", "grandchild", "unknown"]);
  });

  it("removes programs that act for nobody: after a day those that nobody ever let in, the others as late as what is over", async () => {
    const start = new Date(clock.now());
    const document = "https://notes.example/client.json";
    await sql`insert into toolwright.users (id, name, email) values ('ann', 'Ann', 'ann@example.org')`.execute(database.owner);
    for (const id of ["never", "consented", "held", "renewable", "withdrawn", document])
      await sql`insert into toolwright.oauth_clients (id, client_id, client_discovery_id, redirect_uris, created_at, updated_at)
        values (${id}, ${id}, ${id === document ? id : null}, '[]', ${start}, ${start})`.execute(database.owner);
    for (const id of ["consented", "withdrawn", document])
      await sql`insert into toolwright.oauth_consents (id, client_id, user_id, reference_id, scopes, created_at, updated_at)
        values (${id}, ${id}, 'ann', 'acme', '["tools"]', ${start}, ${start})`.execute(database.owner);
    const expires = new Date(clock.now() + 99 * day);
    await sql`insert into toolwright.oauth_access_tokens (id, token, client_id, user_id, scopes, created_at, expires_at)
      values ('1', '1', 'held', 'ann', '[]', ${start}, ${expires})`.execute(database.owner);
    await sql`insert into toolwright.oauth_refresh_tokens (id, token, client_id, user_id, scopes, created_at, expires_at)
      values ('1', '1', 'renewable', 'ann', '[]', ${start}, ${expires})`.execute(database.owner);
    const left = async () => {
      const { rows } = await sql<{ id: string }>`select id from toolwright.oauth_clients order by id`.execute(database.owner);
      return rows.map(({ id }) => id);
    };
    expect(await retain().tidy()).toEqual({});
    const accounts = createAccounts(database, { clock });
    for (const client of ["withdrawn", document]) await accounts.withdraw("ann@example.org", { client, tenant: "acme" });
    await clock.advance(day + 1);
    expect(await retain().tidy()).toEqual({ "unused records": 2 });
    expect(await left()).toEqual(["consented", "held", "renewable", "withdrawn"]);
    await clock.advance(30 * day);
    expect(await retain().tidy()).toEqual({ "unused records": 1 });
    expect(await left()).toEqual(["consented", "held", "renewable"]);
  });

  it("removes more than one transaction takes, and goes on where it was stopped or died", async () => {
    await sql`insert into toolwright.event_writers select 'acme', n::text, 1, now() - interval '8 days' from generate_series(1, 2500) n`.execute(
      database.owner,
    );
    const count = async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from toolwright.event_writers`.execute(database.owner);
      return rows[0]?.count;
    };
    // A process that took the work and died in it.
    await sql`insert into toolwright.upkeep (work, due_at, process, leased_until) values ('retention', now(), 'dead', now() + interval '1 minute')`.execute(
      database.owner,
    );
    expect(await retain().tidy()).toBeUndefined();
    await clock.advance(2 * 60_000);
    const stop = new AbortController();
    stop.abort();
    expect(await retain().tidy(stop.signal)).toEqual({});
    expect(await count()).toBe(2_500);
    // In the second of its transactions the database refuses: that one is undone, the first stays.
    await sql`create function toolwright.fail_late() returns trigger language plpgsql as $$ begin
      if (select count(*) from toolwright.event_writers) < 1000 then raise 'broken'; end if; return null; end $$`.execute(database.owner);
    await sql`create trigger fail_late after delete on toolwright.event_writers for each statement execute function toolwright.fail_late()`.execute(
      database.owner,
    );
    await expect(retain().tidy()).rejects.toThrow();
    expect(await count()).toBe(1_500);
    await sql`drop trigger fail_late on toolwright.event_writers`.execute(database.owner);
    expect(await retain().tidy()).toEqual({ "unused records": 1_500 });
  });

  it("changes nothing any more when another process has taken the work over, as after a long sleep", async () => {
    await sql`insert into toolwright.event_writers select 'acme', n::text, 1, now() - interval '8 days' from generate_series(1, 1500) n`.execute(
      database.owner,
    );
    await sql`create function toolwright.take_over() returns trigger language plpgsql as $$ begin
      update toolwright.upkeep set process = 'other'; return null; end $$`.execute(database.owner);
    await sql`create trigger take_over after delete on toolwright.event_writers for each statement execute function toolwright.take_over()`.execute(
      database.owner,
    );
    expect(await retain().tidy()).toEqual({ "unused records": 1_000 });
    await sql`drop trigger take_over on toolwright.event_writers`.execute(database.owner);
    expect(await retain().tidy()).toBeUndefined();
    expect(await retain().last()).toBeUndefined();
  });

  it.each([
    ["ends the removal that it began, where it may", 1_000, true],
    ["leaves the rest of the removal to the next process, where it may not", 0, false],
  ])("a process that is stopped %s", async (_, finishMs, isDone) => {
    const stop = retain().start(undefined, { finishMs });
    await stop();
    expect((await retain().last()) !== undefined).toBe(isDone);
    expect((await retain().tidy()) !== undefined).toBe(true);
  });

  it("runs when it is due, in one of all processes, and again an hour later", async () => {
    const removed: Removed[] = [];
    const warnings: string[] = [];
    const other = kind === "server" ? await test.reopen() : database;
    await addCall("s1");
    await clock.advance(91 * day);
    const warn = (message: string) => void warnings.push(message);
    const stops = [database, other].map((on) => retain({ periods: inTheLog, warn }, on).start((some) => void removed.push(some)));
    const sum = () => ["sessions", "events"].map((what) => removed.reduce((all, some) => all + (some[what] ?? 0), 0));
    await expect.poll(sum, { timeout: 10_000 }).toEqual([1, 2]);
    await addCall("s2");
    await clock.advance(91 * day);
    const later = () => clock.advance(7 * 60_000).then(sum);
    await expect.poll(later, { timeout: 10_000 }).toEqual([2, 4]);
    await Promise.all(stops.map((stop) => stop()));
    expect(warnings).toEqual([]);
  });
});

const grantOf = (id: string, start: number): GrantRecord => ({
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
});
