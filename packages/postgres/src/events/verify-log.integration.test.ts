import type { VerifyOptions } from "@toolwright/engine/ports";
import { anchorHeads, parseAnchor } from "@toolwright/engine/ports";
import { makeEvent } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresEventLog } from "./postgres-event-log.ts";
import { createPostgresSessionReader } from "./postgres-session-reader.ts";
import { verifyLog } from "./verify-log.ts";

describe.each(testDatabaseKinds)("a log that was tampered with by the owner of the database, %s (R-AU-2)", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const asOwner = (text: string) => sql.raw(text).execute(test.database.owner);
  const append = (session: string, count: number, at = 0) =>
    createPostgresEventLog(test.database, "p1").append(
      Array.from({ length: count }, (_, index) =>
        makeEvent({ session, at: at + index, callId: `${session}_${at + index}`, data: { n: index } }),
      ),
    );
  const verify = async (options: VerifyOptions = {}) => {
    const reports = [];
    for await (const report of verifyLog(test.database, options)) reports.push(report);
    return reports;
  };
  const faultsOf = async (options: VerifyOptions = {}) =>
    (await verify(options)).flatMap(({ session, faults }) => faults.map((fault) => [fault.kind, session, fault.sequence]));
  const anchor = () => anchorHeads(createPostgresSessionReader(test.database), { at: 1 });

  beforeEach(async () => {
    await asOwner("delete from toolwright.events");
    await asOwner("delete from toolwright.sessions");
    await append("s1", 9);
    await append("s2", 3);
  });

  it("is whole when nobody touched it", async () => {
    expect(await verify({ anchor: await anchor() })).toEqual([
      { tenant: "acme", session: "s1", events: 9, faults: [] },
      { tenant: "acme", session: "s2", events: 3, faults: [] },
    ]);
  });

  const at = (sequence: number) => `where session = 's1' and sequence = ${sequence}`;
  it.each([
    ["an edited value", [`update toolwright.events set data = '{"n": 77}' ${at(4)}`], [["edited", "s1", 4]]],
    ["an edited actor", [`update toolwright.events set actor_id = 'bob' ${at(4)}`], [["edited", "s1", 4]]],
    ["an edited time", [`update toolwright.events set at = at + interval '1 hour' ${at(9)}`], [["edited", "s1", 9]]],
    ["a removed event", [`delete from toolwright.events ${at(5)}`], [["removed", "s1", 5]]],
    ["a removed beginning", [`delete from toolwright.events where session = 's1' and sequence < 3`], [["removed", "s1", 1]]],
    [
      "two events that changed places",
      [
        `update toolwright.events set sequence = 99 ${at(3)}`,
        `update toolwright.events set sequence = 3 ${at(4)}`,
        `update toolwright.events set sequence = 4 where sequence = 99`,
      ],
      [
        ["moved", "s1", 3],
        ["moved", "s1", 4],
      ],
    ],
    ["a cut end", [`delete from toolwright.events where session = 's1' and sequence > 7`], [["truncated", "s1", 8]]],
    [
      "an event put in at the end",
      [
        `insert into toolwright.events select tenant, session, 10, at, type, call_id, tool, actor_kind, actor_id, agent, door, source, data, hash, hash, process from toolwright.events ${at(9)}`,
      ],
      [
        ["edited", "s1", 10],
        ["added", "s1", 10],
      ],
    ],
    ["the row of a session removed", [`delete from toolwright.sessions where session = 's2'`], [["added", "s2", 1]]],
  ])("shows %s, by session and sequence", async (_, statements, faults) => {
    for (const statement of statements) await asOwner(statement);
    expect(await faultsOf()).toEqual(faults);
  });

  it("shows a cut end that was covered up in the session's row, by an anchored head", async () => {
    const before = await anchor();
    await asOwner("delete from toolwright.events where session = 's1' and sequence > 7");
    await asOwner(
      "update toolwright.sessions set sequence = 7, hash = (select hash from toolwright.events where session = 's1' and sequence = 7) where session = 's1'",
    );
    expect(await faultsOf()).toEqual([]);
    expect(await faultsOf({ anchor: before })).toEqual([["truncated", "s1", 8]]);
  });

  const claim = (through: number) =>
    asOwner(
      `update toolwright.sessions set removed_through = ${through}, removed_at = now(), removed_hash = (select hash from toolwright.events ${at(through)}) where session = 's1'`,
    );

  it("shows a beginning that is gone and called removed by retention, by an anchored head", async () => {
    const before = await anchor();
    await claim(8);
    await asOwner("delete from toolwright.events where session = 's1' and sequence < 9");
    expect(await faultsOf()).toEqual([]);
    expect(await faultsOf({ anchor: before })).toEqual([["removed", "s1", 1]]);
    expect(await faultsOf({ anchor: await anchor() })).toEqual([]);
  });

  it("shows events that are called removed and are there, so that nobody looks at them", async () => {
    await claim(9);
    await asOwner(`update toolwright.events set data = '{"n": 77}' ${at(4)}`);
    expect(await faultsOf()).toEqual([["added", "s1", 1]]);
  });

  it("shows the one event that is left of what is called removed", async () => {
    await claim(9);
    await asOwner("delete from toolwright.events where session = 's1' and sequence < 9");
    expect(await faultsOf()).toEqual([["added", "s1", 9]]);
  });

  it("shows a chain that was written anew before it is called removed, by a head that was anchored where it ended", async () => {
    const before = await anchor();
    await claim(9);
    await asOwner("delete from toolwright.events where session = 's1'");
    expect(await faultsOf({ anchor: before })).toEqual([]);
    const hash = "0".repeat(64);
    await asOwner(`update toolwright.sessions set hash = '${hash}', removed_hash = '${hash}' where session = 's1'`);
    expect(await faultsOf()).toEqual([]);
    expect(await faultsOf({ anchor: before })).toEqual([["rewritten", "s1", 9]]);
  });

  it("shows a removed row of a session also where another tenant has one of that name", async () => {
    await createPostgresEventLog(test.database, "p1").append([makeEvent({ tenant: "other", session: "s1" })]);
    await asOwner("delete from toolwright.sessions where tenant = 'other'");
    expect((await verify()).filter(({ tenant }) => tenant === "other")).toMatchObject([{ session: "s1", faults: [{ kind: "added" }] }]);
  });

  it("shows a chain that was written anew as a whole, and a session that is gone, by an anchored head", async () => {
    const before = await anchor();
    for (const table of ["events", "sessions"]) await asOwner(`delete from toolwright.${table}`);
    await append("s1", 12, 100);
    expect(await faultsOf()).toEqual([]);
    expect(await faultsOf({ anchor: before })).toEqual([
      ["rewritten", "s1", 9],
      ["session_removed", "s2", 3],
    ]);
  });

  it("is whole against an old anchor when it has grown since", async () => {
    const before = await anchor();
    await append("s1", 4, 50);
    expect(await faultsOf({ anchor: before })).toEqual([]);
  });

  it("looks at one session when one is named", async () => {
    await asOwner(`update toolwright.events set tool = 'x' ${at(2)}`);
    expect(await verify({ tenant: "acme", session: "s2" })).toEqual([{ tenant: "acme", session: "s2", events: 3, faults: [] }]);
  });

  it("refuses an anchor that was changed", async () => {
    const text = JSON.stringify(await anchor());
    expect(parseAnchor(text).heads).toHaveLength(2);
    expect(() => parseAnchor(text.replace('"sequence":9', '"sequence":7'))).toThrow(/changed or is damaged/);
    expect(() => parseAnchor("[]")).toThrow(/not an anchor/);
  });
});
