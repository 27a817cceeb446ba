import type { PGlite } from "@electric-sql/pglite";
import { canCheckpoint, canWrite } from "./disk-room.ts";

const checkpointMs = 60_000;
const vacuumMs = 3_600_000;

/**
 * The embedded database has no background processes: without these its write-ahead log grows, and so do its tables.
 * Returns how to stop, which waits for what runs.
 */
export function keepTidy(pglite: PGlite, folder: string): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let lastPosition = "";
  const run = (work: () => Promise<unknown>) => {
    // A failure is the next query's as well, and is reported there.
    running = running.then(work).catch(() => undefined);
  };
  const checkpoint = async () => {
    if (!canCheckpoint(folder) || (await readLogPosition(pglite)) === lastPosition) return;
    await pglite.query("CHECKPOINT");
    lastPosition = await readLogPosition(pglite);
  };
  const vacuum = async () => {
    if (canWrite(folder)) await pglite.query("VACUUM (ANALYZE)");
  };
  const timers = [setInterval(() => run(checkpoint), checkpointMs), setInterval(() => run(vacuum), vacuumMs)];
  for (const timer of timers) timer.unref();
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await running;
  };
}

async function readLogPosition(pglite: PGlite): Promise<string> {
  const { rows } = await pglite.query<{ position: string }>("select pg_current_wal_insert_lsn()::text as position");
  return rows[0]?.position ?? "";
}
