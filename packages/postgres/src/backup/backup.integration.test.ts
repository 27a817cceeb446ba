import type { SessionReport } from "@toolwright/engine/ports";
import { makeEvent, readAll } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { verifyLog } from "../events/verify-log.ts";
import { openTestDatabase, type TestDatabase, type TestDatabaseKind } from "../testing/index.ts";
import { createPostgresTurns } from "../turns/postgres-turns.ts";
import { restoreBackup } from "./restore-backup.ts";
import { writeBackup } from "./write-backup.ts";

const opened: TestDatabase[] = [];
afterEach(async () => {
  for (const test of opened.splice(0)) await test.cleanup();
});

async function open(kind: TestDatabaseKind): Promise<Database> {
  const test = await openTestDatabase(kind);
  opened.push(test);
  return test.database;
}

async function fill(database: Database): Promise<void> {
  const log = createPostgresEventLog(database, "p1");
  const data = { text: "a\u0000b\ud800 'x' \\ \n", number: 1e21, empty: {}, list: [null, true] };
  const event = {
    type: "tool.started",
    session: "s1",
    tenant: "acme",
    actor: { kind: "user", id: "ann" },
    door: "cli",
    tool: "add",
  } as const;
  await log.append(Array.from({ length: 700 }, (_, index) => ({ ...event, callId: `call_${index}`, at: 1_700_000_000_000 + index, data })));
  await database.asTenant("other", (query) =>
    sql`insert into toolwright.agents (tenant, agent, name, features) values ('other', 'helper', 'The "Helper"', '{"memory": false}')`.execute(
      query,
    ),
  );
}

const odd = { role: "user", content: "a\u0000b" };
const turn = { tenant: "acme", id: "trn_1" };

/** In the middle of a step, with a message that waits. */
async function leaveTurn(database: Database): Promise<void> {
  const turns = createPostgresTurns(database);
  const principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "cli" } as const;
  const names = { ...turn, conversation: "ses_1", agent: "assistant", principal, callId: "call_1", createdAt: 1_000 };
  const lease = { holder: "p1", until: 2_000 };
  await turns.begin(names, odd, lease);
  await turns.begin({ ...names, id: "trn_2" }, odd, lease);
  await turns.keepContext({ ...turn, holder: "p1" }, odd);
  await turns.keep({ ...turn, holder: "p1" }, { step: 1, response: odd, settled: [], delivered: [], usage: {}, at: 1_500 });
}

async function backUp(database: Database): Promise<string[]> {
  const lines: string[] = [];
  await writeBackup(database, async (some) => void lines.push(...some.slice(0, -1).split("\n")));
  return lines;
}

const restore = (database: Database, lines: readonly string[]) =>
  restoreBackup(
    database,
    (async function* () {
      yield* lines;
    })(),
  );

const ways: readonly [from: TestDatabaseKind, to: TestDatabaseKind][] = [
  ["embedded", "server"],
  ["server", "embedded"],
];

describe.each(ways)("a backup from %s to %s", (from, to) => {
  it("brings every row over as it was, and the chains hold", async () => {
    const source = await open(from);
    await fill(source);
    await leaveTurn(source);
    const lines = await backUp(source);
    const target = await open(to);
    const { rows } = await restore(target, lines);
    expect(rows).toBe(JSON.parse(lines.at(-1) as string).rows);
    // Times apart that the target itself gave, the backup of the copy is the backup.
    expect(await backUp(target)).toEqual(lines);
    const reports: SessionReport[] = [];
    for await (const report of verifyLog(target, {})) reports.push(report);
    expect(reports).toMatchObject([{ events: 700, faults: [] }]);
    const turns = createPostgresTurns(target);
    expect((await turns.lost({ now: 2_000, limit: 9 })).map(({ id }) => id)).toEqual([turn.id]);
    const lease = { holder: "p2", until: 9_000 };
    expect(await turns.take(turn, lease, 2_000)).toMatchObject({ messages: [odd], context: odd, open: { step: 1, response: odd } });
    expect((await turns.news({ ...turn, holder: "p2" }, { tokens: 0, cost: 0 }))?.queued.map(({ message }) => message)).toEqual([odd]);
  });
});

describe("a backup while others write", () => {
  it("is of one moment: what is written meanwhile is in it as a whole or not at all", async () => {
    const source = await open("server");
    await fill(source);
    const lines: string[] = [];
    await writeBackup(source, async (line) => {
      lines.push(...line.slice(0, -1).split("\n"));
      // Its events are in the backup by then, and where its chain ends is not.
      if (line.startsWith('{"table":"sessions"')) await createPostgresEventLog(source, "p2").append([makeEvent({ callId: "late" })]);
    });
    const target = await open("server");
    await restore(target, lines);
    expect(await readAll(verifyLog(target, {}))).toMatchObject([{ session: "s1", events: 700, faults: [] }]);
    expect(await readAll(verifyLog(source, {}))).toMatchObject([{ session: "s1", events: 701, faults: [] }]);
  });
});

describe("restoring", () => {
  const changes: readonly [what: string, change: (lines: string[]) => string[], words: RegExp][] = [
    ["was cut off", (lines) => lines.slice(0, -1), /ends too early/],
    [
      "says another number of rows",
      (lines) => [...lines.slice(0, -1), JSON.stringify({ ...JSON.parse(lines.at(-1) as string), rows: 1 })],
      /ends too early or was changed/,
    ],
    ["lost a row", (lines) => lines.filter((line) => !line.includes("call_17")), /ends too early or was changed/],
    ["had a value changed", (lines) => lines.map((line) => line.replace("Helper", "Other")), /ends too early or was changed/],
    ["names a call twice", (lines) => lines.map((line) => line.replace("call_17", "call_18")), /do not fit: duplicate key.*as it was/],
    ["is no backup", () => ["hello"], /Line 1 is no line of a backup/],
    ["is of another kind", (lines) => [JSON.stringify({ format: "x", migrations: [] }), ...lines.slice(1)], /does not start like a backup/],
    [
      "was made by a newer version",
      (lines) => [
        JSON.stringify({ ...JSON.parse(lines[0] as string), migrations: [{ name: "9999_new", breaking: true }] }),
        ...lines.slice(1),
      ],
      /newer version \(9999_new\)/,
    ],
    [
      "names a table that there is not",
      (lines) => lines.map((line) => line.replace('{"table":"agents"', '{"table":"agent$"')),
      /no table agent\$/,
    ],
    [
      "names a column that there is not",
      (lines) => lines.map((line) => line.replace('"name":"features"', '"name":"features; drop"')),
      /no column/,
    ],
  ];

  it.each(changes)("of a file that %s changes nothing", async (_, change, words) => {
    const source = await open("server");
    await fill(source);
    const lines = change(await backUp(source));
    const target = await open("server");
    const before = await backUp(target);
    await expect(restore(target, lines)).rejects.toThrow(words);
    expect(await backUp(target)).toEqual(before);
  });

  it("into a store that is used is refused: two histories do not mix", async () => {
    const source = await open("server");
    await fill(source);
    await expect(restore(source, await backUp(source))).rejects.toThrow(/already has rows/);
  });
});
