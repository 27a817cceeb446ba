import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestFolder } from "../testing/prepare-test-databases.ts";
import { tidyTables } from "./keep-tidy.ts";
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
