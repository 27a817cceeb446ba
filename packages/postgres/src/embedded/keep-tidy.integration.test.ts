import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestFolder } from "../testing/prepare-test-databases.ts";
import { keepTidy, tidyTables } from "./keep-tidy.ts";
import { loadPglite } from "./load-pglite.ts";

let root: string;
let pglite: PGlite;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "toolwright-tidy-"));
  await createTestFolder(join(root, "data"), process.env.TOOLWRIGHT_TEST_TEMPLATES as string);
  pglite = await (await loadPglite()).create({ dataDir: join(root, "data") });
  await pglite.exec(`create table "Notes" (id int primary key, note text); create table quiet (id int)`);
});
afterAll(async () => {
  await pglite.close();
  rmSync(root, { recursive: true, force: true });
});

/** Counts reach the statistics some time after a statement, unless that is asked for. */
const flush = () => pglite.query("select pg_stat_force_next_flush()");
const tidy = async (mayGoOn?: () => boolean) => {
  await flush();
  return (await tidyTables(pglite, mayGoOn)).filter((name) => name.startsWith("public."));
};
const look = async () => {
  await flush();
  const { rows } = await pglite.query<{ dead: number; known: number }>(
    `select n_dead_tup::int as dead, reltuples::int as known from pg_stat_user_tables join pg_class on pg_class.oid = relid where pg_class.relname = 'Notes'`,
  );
  return rows[0];
};

test("a table is vacuumed and analysed when enough of it changed, and left alone otherwise", async () => {
  await pglite.exec(`insert into "Notes" select n, 'one' from generate_series(1, 2000) as n; insert into quiet values (1)`);
  expect(await tidy()).toEqual([`public."Notes"`]);
  expect(await look()).toEqual({ dead: 0, known: 2000 });
  await pglite.exec(`update "Notes" set note = 'two' where id <= 100`);
  expect(await tidy()).toEqual([]);
  await pglite.exec(`update "Notes" set note = 'three' where id > 1000`);
  expect((await look())?.dead).toBeGreaterThan(0);
  expect(await tidy()).toEqual([`public."Notes"`]);
  expect(await look()).toEqual({ dead: 0, known: 2000 });
  expect(await tidy()).toEqual([]);
});

test("it stops where it may not go on: the disk is full, or the store is being closed", async () => {
  await pglite.exec(`update "Notes" set note = 'four'`);
  expect(await tidy(() => false)).toEqual([]);
  expect(await tidy()).toEqual([`public."Notes"`]);
});

test("the log is written down ten seconds after much was written, and a minute after a little", async () => {
  const isWrittenSince = async (position: string) => {
    const { rows } = await pglite.query<{ isLater: boolean }>(
      `select checkpoint_lsn > '${position}' as "isLater" from pg_control_checkpoint()`,
    );
    return rows[0]?.isLater;
  };
  const readPosition = async () =>
    (await pglite.query<{ position: string }>("select pg_current_wal_lsn()::text as position")).rows[0]?.position as string;
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const stop = keepTidy(pglite, root, { held: false });
  try {
    const look = async (seconds: number) => {
      vi.advanceTimersByTime(seconds * 1_000);
      // What waits for the database is before this.
      for (let turn = 0; turn < 200; turn += 1) await pglite.query("select 1").then(() => new Promise(setImmediate));
    };
    await pglite.exec("insert into quiet select n from generate_series(1, 10) as n");
    let position = await readPosition();
    for (let at = 10; at < 60; at += 10) await look(10);
    expect(await isWrittenSince(position)).toBe(false);
    await look(10);
    expect(await isWrittenSince(position)).toBe(true);
    position = await readPosition();
    await look(10);
    await pglite.exec("insert into quiet select n from generate_series(1, 80000) as n");
    expect(await isWrittenSince(position)).toBe(false);
    await look(10);
    expect(await isWrittenSince(position)).toBe(true);
  } finally {
    vi.useRealTimers();
    await stop();
  }
});
