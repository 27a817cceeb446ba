import { sql } from "kysely";
import type { Database } from "../database/database.ts";

export interface SweepOptions {
  /** Milliseconds since the last chunk after which nobody is taken to write on. Default one hour. */
  readonly unfinishedMs?: number;
}

const hour = 60 * 60 * 1000;

/** Removes what was begun and never finished, and contents that no artifact has any more. Gives how many. */
export async function sweepArtifacts(database: Database, { unfinishedMs = hour }: SweepOptions = {}): Promise<number> {
  return database.asSystem(async (query) => {
    const { numAffectedRows = 0n } = await sql`delete from toolwright.artifact_contents as content
      where hash is null and written_at < clock_timestamp() - make_interval(secs => ${unfinishedMs / 1000})
        or hash is not null and not exists (select from toolwright.artifacts as artifact
          where artifact.tenant = content.tenant and artifact.content = content.content)`.execute(query);
    return Number(numAffectedRows);
  });
}
