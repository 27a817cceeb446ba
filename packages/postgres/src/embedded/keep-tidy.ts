import { setImmediate as nextTurn } from "node:timers/promises";
import type { PGlite } from "@electric-sql/pglite";
import { canCheckpoint, canWrite } from "./disk-room.ts";
import type { Pins } from "./pin-files.ts";

/** Milliseconds between two looks, and looks after which little that was written counts as much. */
const [everyMs, mostLooks] = [10_000, 6];
/** Bytes of the write-ahead log after which it is time: to write down what they changed takes about 15 ms. */
const muchLog = 4 * 1024 ** 2;

/**
 * The embedded database has no background processes: without these its write-ahead log grows, and so do its tables, and the planner knows
 * nothing of them. Returns how to stop, which waits for what runs.
 */
export function keepTidy(pglite: PGlite, folder: string, pins: Pick<Pins, "held">): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let lastPosition: number | undefined;
  let looks = 0;
  let stopped = false;
  const tidy = async () => {
    looks += 1;
    if (pins.held) return;
    const position = await readLogPosition(pglite);
    // What a process before this one left is a little.
    lastPosition ??= position - 1;
    const written = position - lastPosition;
    if (written === 0 || (written < muchLog && looks < mostLooks)) return;
    await tidyTables(pglite, () => !stopped && canWrite(folder));
    if (pins.held || !canCheckpoint(folder)) return;
    await nextTurn();
    await pglite.query("CHECKPOINT");
    lastPosition = await readLogPosition(pglite);
    looks = 0;
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
    for (const statement of [...(vacuum ? ["VACUUM"] : []), ...(analyze ? ["ANALYZE"] : [])]) {
      // Callers that wait come first.
      await nextTurn();
      if (!mayGoOn()) return names;
      await pglite.query(`${statement} ${name}`);
    }
    names.push(name);
  }
  return names;
}

/** Bytes of the write-ahead log since its beginning. */
async function readLogPosition(pglite: PGlite): Promise<number> {
  const { rows } = await pglite.query<{ position: number }>("select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as position");
  return rows[0]?.position ?? 0;
}
