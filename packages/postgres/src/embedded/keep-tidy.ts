import { setImmediate as nextTurn } from "node:timers/promises";
import type { PGlite } from "@electric-sql/pglite";
import { canCheckpoint, canWrite } from "./disk-room.ts";
import type { Pins } from "./pin-files.ts";

const everyMs = 60_000;

/**
 * The embedded database has no background processes: without these its write-ahead log grows, and so do its tables, and the planner knows
 * nothing of them. Returns how to stop, which waits for what runs.
 */
export function keepTidy(pglite: PGlite, folder: string, pins: Pick<Pins, "held">): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let lastPosition = "";
  let stopped = false;
  const tidy = async () => {
    if (pins.held) return;
    if ((await readLogPosition(pglite)) === lastPosition) return;
    await tidyTables(pglite, () => !stopped && canWrite(folder));
    if (pins.held || !canCheckpoint(folder)) return;
    await pglite.query("CHECKPOINT");
    lastPosition = await readLogPosition(pglite);
  };
  const timer = setInterval(() => {
    // A failure is the next query's as well, and is reported there.
    running = running.then(tidy).catch(() => undefined);
  }, everyMs);
  timer.unref();
  return async () => {
    stopped = true;
    clearInterval(timer);
    await running;
  };
}

/**
 * What has changed enough, by the formulas of PostgreSQL's own autovacuum with their defaults (PostgreSQL documentation, 24.1.6). What is only
 * added to is looked at more often: the time that a vacuum takes grows with what came since the last one, and nothing else runs meanwhile.
 */
const selectChanged = `
  select format('%I.%I', schemaname, relname) as name,
    n_dead_tup > 50 + 0.2 * n_live_tup or n_ins_since_vacuum > least(1000 + 0.2 * n_live_tup, 20000) as vacuum,
    n_mod_since_analyze > 50 + 0.1 * n_live_tup as analyze
  from pg_stat_all_tables where schemaname <> 'pg_toast'`;

/** Vacuums and analyses the tables that have changed, one after the other as long as it may go on; gives their names. */
export async function tidyTables(pglite: Pick<PGlite, "query">, mayGoOn = () => true): Promise<readonly string[]> {
  const { rows } = await pglite.query<{ name: string; vacuum: boolean; analyze: boolean }>(selectChanged);
  const names: string[] = [];
  for (const { name, vacuum, analyze } of rows) {
    if (!vacuum && !analyze) continue;
    // Whoever waits comes first.
    await nextTurn();
    if (!mayGoOn()) break;
    if (vacuum) await pglite.query(`VACUUM ${name}`);
    if (analyze) await pglite.query(`ANALYZE ${name}`);
    names.push(name);
  }
  return names;
}

async function readLogPosition(pglite: PGlite): Promise<string> {
  const { rows } = await pglite.query<{ position: string }>("select pg_current_wal_insert_lsn()::text as position");
  return rows[0]?.position ?? "";
}
