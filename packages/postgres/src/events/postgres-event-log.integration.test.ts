import { randomUUID } from "node:crypto";
import type { CallEvent } from "@toolwright/engine";
import { chainDigest, findBrokenLink } from "@toolwright/engine/ports";
import { eventLogConformance, keyedLogConformance } from "@toolwright/engine/testing";
import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Tables } from "../database/tables.ts";
import { createPostgresIdempotencyStore } from "../idempotency/postgres-idempotency-store.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { appendBatch } from "./append-batch.ts";
import { createChainHeads } from "./chain-heads.ts";
import { readHeads } from "./event-queries.ts";
import { packBatch } from "./pack-batch.ts";
import { createPostgresEventLog } from "./postgres-event-log.ts";

const event = (session: string, at: number, data: CallEvent["data"] = {}): CallEvent => ({
  type: "tool.started",
  at,
  session,
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  door: "cli",
  callId: `call_${session}_${at}`,
  tool: "add",
  data,
});

describe.each(testDatabaseKinds)("the event log in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const emptyLog = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.events`.execute(query));
    await test.database.asSystem((query) => sql`delete from toolwright.sessions`.execute(query));
    return { log: createPostgresEventLog(test.database, "p1"), cleanup: async () => {} };
  };
  for (const { name, run } of eventLogConformance(emptyLog)) it(name, run);
  const emptyKeyedLog = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.idempotency_keys`.execute(query));
    const keys = createPostgresIdempotencyStore(test.database, { process: "p1" });
    const { log, cleanup } = await emptyLog();
    return { log: { ...log, keys }, cleanup };
  };
  for (const { name, run } of keyedLogConformance(emptyKeyedLog)) it(name, run);

  it("gives back every text that JSON can carry, and the chain holds over it", async () => {
    const { log } = await emptyLog();
    const odd = { nul: "a\u0000b", surrogate: "\ud800", deep: [{ __proto__: null, "": 1e21 }], zero: -0, quote: '"\\\n', none: undefined };
    await log.append([{ ...event("s\u0000\ud800", 5, odd as CallEvent["data"]), agent: "helper", source: "api" }]);
    const [stored] = await log.read({ tenant: "acme", session: "s\uFFFD\uFFFD" });
    expect(stored?.event.data).toEqual({ ...odd, zero: 0, none: undefined });
    expect(stored?.event.agent).toBe("helper");
  });

  it("lets nobody edit or remove an event as a tenant", async () => {
    const { log } = await emptyLog();
    await log.append([event("s1", 1)]);
    for (const attempt of [sql`update toolwright.events set tool = 'other'`, sql`delete from toolwright.events`])
      await expect(test.database.asTenant("acme", (query) => attempt.execute(query))).rejects.toThrow(/permission denied|lacks a right/);
  });

  it("fails only the event of an unknown tenant", async () => {
    const { log } = await emptyLog();
    const settled = await Promise.allSettled([log.append([event("s1", 1)]), log.append([{ ...event("s1", 2), tenant: "nobody" }])]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });

  it("writes a batch that is sent again once: its answer may have been lost", async () => {
    const { log } = await emptyLog();
    const heads = createChainHeads();
    const writer = randomUUID();
    const send = (batch: number, at: number) =>
      appendBatch(test.database.owner, { tenant: "acme", process: "p1", writer, batch }, packBatch([event("s1", at)], heads, 0));
    for (const batch of [1, 1, 2, 1]) await send(batch, batch);
    const stored = await log.read({ tenant: "acme", session: "s1" });
    expect(stored.map(({ event: { at }, sequence }) => [at, sequence])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(findBrokenLink(stored)).toBeUndefined();
  });

  /** Writes one event of each session, and remembers as a log does. Resolves with the heads that others had moved. */
  const createWriter = () => {
    const heads = createChainHeads();
    const writer = randomUUID();
    let batch = 0;
    return async (query: Kysely<Tables>, ...sessions: readonly string[]) => {
      batch += 1;
      const events = sessions.map((session) => event(session, batch));
      const packed = packBatch(events, heads, 0);
      const moved = await appendBatch(query, { tenant: "acme", process: "p1", writer, batch }, packed);
      for (const [index, { name, ending }] of packed.sessions.entries()) heads.keep("acme", name, moved?.[index] ?? ending);
      return moved;
    };
  };

  it("says where chains end now that another went on with meanwhile, and nothing when all are as the writer knew them", async () => {
    const { log } = await emptyLog();
    const write = createWriter();
    const { owner } = test.database;
    expect(await write(owner, "s1", "s2", "s1")).toBeUndefined();
    await log.append([event("s2", 90), event("s2", 91)]);
    const moved = await write(owner, "s1", "s2", "s2", "s3");
    const chains = await Promise.all(["s1", "s2", "s3"].map((session) => log.read({ tenant: "acme", session })));
    expect(chains.map((chain) => [chain.length, findBrokenLink(chain)])).toEqual([
      [3, undefined],
      [5, undefined],
      [1, undefined],
    ]);
    expect(moved).toEqual(chains.map((chain) => ({ sequence: chain.at(-1)?.sequence, hash: chain.at(-1)?.hash })));
    expect(await write(owner, "s1", "s2", "s3")).toBeUndefined();
  });

  it("stays whole when processes of the version before write to the same sessions by their own function", async () => {
    const { log } = await emptyLog();
    const writer = randomUUID();
    const writeAsBefore = (batch: number) => {
      const { callId, data, ...before } = event("s1", Date.UTC(2026, 0, batch));
      const digest = chainDigest({ ...before, callId, data });
      const at = new Date(before.at).toISOString();
      return sql`select toolwright.write_events('acme', 'p0', ${writer}, ${batch}::bigint, '{s1}', array[${at}]::timestamptz[], array[${at}]::timestamptz[],
        '{1}', array[${digest}], array[${at}]::timestamptz[], '{tool.started}', array[${callId}], '{add}', '{user}', '{ann}', '{null}', '{cli}', '{null}',
        '{"{}"}', null, null, null)`.execute(test.database.owner);
    };
    for (const batch of [1, 2, 3]) {
      await writeAsBefore(batch);
      await log.append([event("s1", batch)]);
    }
    const stored = await log.read({ tenant: "acme", session: "s1" });
    expect(stored.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(findBrokenLink(stored)).toBeUndefined();
  });

  it("begins a session anew that the database has lost, as after a change to a server that lagged behind", async () => {
    const { log } = await emptyLog();
    await log.append([event("s1", 1), event("s1", 2), event("s2", 3)]);
    for (const table of ["events", "sessions"])
      await test.database.asSystem((query) => sql`delete from ${sql.table(`toolwright.${table}`)} where session = 's1'`.execute(query));
    await log.append([event("s1", 4), event("s2", 5)]);
    await log.append([event("s1", 6), event("s2", 7)]);
    const chains = await Promise.all(["s1", "s2"].map((session) => log.read({ tenant: "acme", session })));
    expect(chains.map((chain) => chain.map(({ sequence, event: { at } }) => [sequence, at]))).toEqual([
      [
        [1, 4],
        [2, 6],
      ],
      [
        [1, 3],
        [2, 5],
        [3, 7],
      ],
    ]);
    for (const chain of chains) expect([chain[0]?.previous, findBrokenLink(chain)]).toEqual(["", undefined]);
  });

  it("reads of the sessions only those that it writes to, however many came since the database planned how", async () => {
    const { log } = await emptyLog();
    for (let first = 0; first < 2_000; first += 500)
      await log.append(Array.from({ length: 500 }, (_, index) => event(`many ${first + index}`, 1)));
    const write = createWriter();
    // Of this connection since the statistics took them last.
    const readsSoFar = async (query: Kysely<Tables>) => {
      const { rows } = await sql<{ reads: number }>`select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as reads
        from pg_stat_xact_all_tables where relid = 'toolwright.sessions'::regclass`.execute(query);
      return rows[0]?.reads ?? 0;
    };
    const countReads = () =>
      test.database.owner.transaction().execute(async (query) => {
        const before = await readsSoFar(query);
        const moved = await write(query, "many 1", "many 77", "many 1999", "new");
        return { reads: (await readsSoFar(query)) - before, moved: moved !== undefined };
      });
    const [first, second] = [await countReads(), await countReads()];
    expect([first.moved, second.moved]).toEqual([true, false]);
    // At least those that moved are read; versions of a row that are not cleared away yet are read as well.
    expect(first.reads).toBeGreaterThan(0);
    for (const { reads } of [first, second]) expect(reads).toBeLessThan(50);
  });

  it("knows of a session the time of its latest event, in whatever order and by whomever they are written", async () => {
    const { log } = await emptyLog();
    const other = createPostgresEventLog(test.database, "p2");
    const lastAt = async () => {
      const [head] = await test.database.asTenant("acme", (query) => readHeads(query, { session: "s1" }));
      return head?.lastAt;
    };
    await log.append([event("s1", 5_000)]);
    await log.append([event("s1", 1_000)]);
    expect(await lastAt()).toBe(5_000);
    await other.append([event("s1", 2_000)]);
    expect(await lastAt()).toBe(5_000);
    await log.append([event("s1", 7_000), event("s1", 6_000)]);
    expect(await lastAt()).toBe(7_000);
  });

  it("may not be written to as a tenant but through the process", async () => {
    const packed = packBatch([{ ...event("s1", 1), tenant: "other" }], createChainHeads(), 0);
    const append = test.database.asTenant("acme", (query) =>
      appendBatch(query, { tenant: "other", process: "p", writer: "w", batch: 1 }, packed),
    );
    await expect(append).rejects.toThrow(/permission denied|lacks a right/);
  });
});

describe("the event log of two processes on one server", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase("server");
  });
  afterAll(() => test.cleanup());

  it("stays gapless and whole when both write to the same sessions in any order, and neither waits for the other for ever", async () => {
    const logs = [test.database, await test.reopen(), await test.reopen()].map((database, index) =>
      createPostgresEventLog(database, `p${index}`),
    );
    const sessions = Array.from({ length: 12 }, (_, index) => `shared ${index}`);
    await Promise.all(
      logs.flatMap((log, index) =>
        Array.from({ length: 40 }, (_, round) => {
          const order = sessions.toSorted((a, b) => (a + index + round < b + index + round ? -1 : 1) * (round % 2 ? 1 : -1));
          return log.append(order.map((session) => event(session, round * 10 + index)));
        }),
      ),
    );
    for (const session of sessions) {
      const stored = await logs[0]?.read({ tenant: "acme", session });
      expect(stored?.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
      expect(findBrokenLink(stored ?? [])).toBeUndefined();
    }
  });
});
