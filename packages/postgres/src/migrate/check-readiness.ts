import { ToolwrightError } from "@toolwright/engine/errors";
import type { Clock } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { toStoreError } from "../database/store-failure.ts";
import { readMigrationState, refuseUnusable } from "./migrate.ts";
import { readMigrations } from "./read-migrations.ts";

/** What is wrong, in words for an operator; undefined where nothing is. */
export interface StoreReadiness {
  readonly migrations: string | undefined;
  readonly jobs: string | undefined;
}

/**
 * Looks whether the database is still one that this version works with, and whether jobs can be read. Another version may have changed it, or
 * somebody restored an older backup, while this process serves. Never rejects.
 */
export function createReadinessCheck({ owner }: Database, clock: Clock): () => Promise<StoreReadiness> {
  const files = readMigrations();
  return async () => ({
    migrations: await problemOf(async () => {
      const state = await readMigrationState(owner, files);
      refuseUnusable(state);
      const [missing] = state.pending;
      if (missing)
        throw new ToolwrightError(
          "store_outdated",
          `The database lacks the migration ${missing.name}. Start this server again to apply it.`,
        );
    }, clock),
    jobs: await problemOf(() => sql`select from toolwright.jobs limit 1`.execute(owner), clock),
  });
}

const longestMs = 3_000;

async function problemOf(look: () => Promise<unknown>, clock: Clock): Promise<string | undefined> {
  let stopTimer = () => {};
  const late = new Promise<string>((resolve) => {
    stopTimer = clock.after(longestMs, () => resolve(`The database did not answer within ${longestMs / 1_000} s.`), { keepAlive: true });
  });
  try {
    return await Promise.race([late, look().then(() => undefined)]);
  } catch (error) {
    const failure = toStoreError(error);
    return failure instanceof Error ? failure.message : String(failure);
  } finally {
    stopTimer();
  }
}
