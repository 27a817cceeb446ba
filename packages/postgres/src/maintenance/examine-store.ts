import type { Database } from "../database/database.ts";
import { findUnknownZones } from "../jobs/schedules/postgres-schedules.ts";
import { countWords, type WordCounts } from "../search/stored-words.ts";
import { countOwnerlessSessions } from "../sessions/postgres-session-store.ts";

/** What an operator may want to look after in a store that works. */
export interface StoreFindings {
  /** How many sessions of all tenants have no owner. */
  readonly ownerless: number;
  /** Time zones of schedules that wait because this machine does not know them. */
  readonly unknownZones: readonly string[];
  readonly words: WordCounts;
}

/** Looks at a store of this version. */
export async function examineStore(database: Pick<Database, "owner" | "asSystem">): Promise<StoreFindings> {
  return {
    ownerless: await countOwnerlessSessions(database),
    unknownZones: await findUnknownZones(database),
    words: await countWords(database),
  };
}
