import assert from "node:assert/strict";
import type { EventLog } from "../ports/event-log.ts";
import { anchorHeads, type FollowEventsOptions, type SessionReader } from "../ports/session-reader.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { type LogFixture, onLog } from "./log-fixture.ts";
import { makeEvent, readAll } from "./make-events.ts";

/** What every reader of the event log must do. */
export function sessionReaderConformance(open: () => Promise<LogFixture<SessionReader>>): readonly ConformanceCase[] {
  const withLog = onLog(open);
  const add = (log: EventLog, session: string, count: number, tenant = "acme") =>
    log.append(Array.from({ length: count }, (_, n) => makeEvent({ tenant, session, at: n + 1, callId: `${session}_${n}` })));
  return [
    withLog("lists where each session of a tenant stands, by name", async ({ log, reader }) => {
      for (const [session, count] of [
        ["s2", 1],
        ["s1", 3],
      ] as const)
        await add(log, session, count);
      await add(log, "s3", 1, "other");
      const heads = await readAll(reader.list({ tenant: "acme" }));
      assert.deepEqual(
        heads.map(({ session, sequence, lastAt, removed }) => ({ session, sequence, lastAt, removed })),
        [
          { session: "s1", sequence: 3, lastAt: 3, removed: undefined },
          { session: "s2", sequence: 1, lastAt: 1, removed: undefined },
        ],
      );
      assert.equal(heads[0]?.hash, (await reader.page({ tenant: "acme", session: "s1", after: 2 }))[0]?.hash);
      assert.equal((await readAll(reader.list({ tenant: "acme", session: "s2" }))).length, 1);
      assert.deepEqual(await readAll(reader.list({ tenant: "acme", session: "s3" })), []);
      assert.deepEqual(
        (await readAll(reader.list({}))).map(({ tenant, session }) => `${tenant} ${session}`),
        ["acme s1", "acme s2", "other s3"],
      );
    }),
    withLog("gives pages of one session, in order, and another tenant's as none (R-TN-3)", async ({ log, reader }) => {
      await add(log, "s1", 5);
      const page = async (after: number, tenant = "acme") =>
        (await reader.page({ tenant, session: "s1", after, limit: 2 })).map(({ sequence }) => sequence);
      assert.deepEqual([await page(0), await page(2), await page(4), await page(5)], [[1, 2], [3, 4], [5], []]);
      assert.deepEqual(await page(0, "other"), []);
    }),
    withLog("gives the events of one call alone, by pages", async ({ log, reader }) => {
      await add(log, "s1", 3);
      await add(log, "s1", 2);
      const page = async (call: string, after: number, tenant = "acme") =>
        (await reader.page({ tenant, session: "s1", call, after, limit: 1 })).map(({ sequence }) => sequence);
      assert.deepEqual([await page("s1_1", 0), await page("s1_1", 2), await page("s1_1", 5)], [[2], [5], []]);
      assert.deepEqual(await page("s1_1", 0, "other"), []);
      assert.deepEqual(await page("s2_1", 0), []);
    }),
    withLog("leaves out what calls put out, where that is asked", async ({ log, reader }) => {
      const output = (callId: string) => makeEvent({ callId, type: "tool.output_appended", data: { text: "x" } });
      await log.append([makeEvent({ callId: "a" }), output("a"), output("b"), makeEvent({ callId: "b" }), makeEvent({ callId: "a" })]);
      const page = async (options: { call?: string; limit?: number }) =>
        (await reader.page({ tenant: "acme", session: "s1", output: false, ...options })).map(({ sequence }) => sequence);
      assert.deepEqual([await page({}), await page({ call: "a" }), await page({ call: "a", limit: 1 })], [[1, 4, 5], [1, 5], [1]]);
    }),
    withLog("follows what is written from now on, of every session of the tenant and of no other", async ({ log, reader }) => {
      await add(log, "s1", 2);
      const ready = Promise.withResolvers<void>();
      const taken = take(reader, 4, { onReady: ready.resolve });
      await ready.promise;
      await add(log, "s1", 1, "other");
      await add(log, "s1", 2);
      await add(log, "s2", 2);
      assert.deepEqual([...(await taken)].sort(), ["s1 3", "s1 4", "s2 1", "s2 2"]);
    }),
    withLog("follows one session from a place on", async ({ log, reader }) => {
      await add(log, "s1", 5);
      await add(log, "s2", 5);
      assert.deepEqual(await take(reader, 3, { session: "s1", after: 2 }), ["s1 3", "s1 4", "s1 5"]);
    }),
    withLog("ends following when the signal aborts while nothing happens", async ({ reader }) => {
      const stop = new AbortController();
      const following = reader.follow({ tenant: "acme", onReady: () => queueMicrotask(() => stop.abort()) }, stop.signal);
      assert.deepEqual(await readAll(following), []);
    }),
    withLog("verifies each session, of one tenant or all", async ({ log, reader }) => {
      await add(log, "s1", 3);
      await add(log, "s2", 1);
      await add(log, "s1", 2, "other");
      const whole = (tenant: string, session: string, events: number) => ({ tenant, session, events, faults: [] });
      assert.deepEqual(await readAll(reader.verify({})), [whole("acme", "s1", 3), whole("acme", "s2", 1), whole("other", "s1", 2)]);
      assert.deepEqual(await readAll(reader.verify({ tenant: "other" })), [whole("other", "s1", 2)]);
      assert.deepEqual(await readAll(reader.verify({ tenant: "acme", session: "s2" })), [whole("acme", "s2", 1)]);
    }),
    withLog("shows against an anchor what is missing or was written anew, and nothing where all is there", async ({ log, reader }) => {
      await add(log, "s1", 3);
      const anchor = await anchorHeads(reader, { at: 1, tenant: "acme" });
      await add(log, "s1", 1);
      const kinds = async (heads: (typeof anchor)["heads"]) =>
        (await readAll(reader.verify({ tenant: "acme", anchor: { ...anchor, heads } }))).flatMap(({ faults }) =>
          faults.map(({ kind }) => kind),
        );
      const [head] = anchor.heads;
      assert.ok(head);
      assert.deepEqual(await kinds([head]), []);
      assert.deepEqual(await kinds([{ ...head, sequence: 9 }]), ["truncated"]);
      assert.deepEqual(await kinds([{ ...head, hash: "0".repeat(64) }]), ["rewritten"]);
      assert.deepEqual(await kinds([{ ...head, session: "gone" }]), ["session_removed"]);
    }),
  ];
}

/** Reads until `count` events came, and stops. */
async function take(reader: SessionReader, count: number, options: Partial<FollowEventsOptions>): Promise<readonly string[]> {
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const { event, sequence } of reader.follow({ tenant: "acme", ...options }, stop.signal)) {
    seen.push(`${event.session} ${sequence}`);
    if (seen.length === count) stop.abort();
  }
  return seen;
}
