import { sessionOwner } from "@toolwright/engine/operations";
import { type Clock, type Limiter, type LimitReader, readSessionUse, sharerOf, usualPersonLimits } from "@toolwright/engine/ports";
import { sumPersonBytes } from "../artifacts/artifact-room.ts";
import type { Database } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { countJobs } from "../jobs/enqueue-job.ts";
import { countUploads, uploadLimits } from "../knowledge/write-documents.ts";

interface LimitReaderParts {
  /** Counts the sessions that people make. */
  readonly limiter: Limiter;
  readonly clock: Clock;
  /** Bytes of artifacts in the sessions of one person at most, where they differ from the usual ones. */
  readonly artifactBytes?: number | undefined;
}

/** Reads what a person has used by the queries that refuse more. */
export function createPostgresLimitReader(
  database: Database,
  { limiter, clock, artifactBytes = usualPersonLimits.artifactBytes }: LimitReaderParts,
): LimitReader {
  return {
    async read(principal) {
      const { tenant } = principal;
      const sharer = sharerOf(principal);
      const sessions = await readSessionUse(sharer, { limiter, clock });
      return database.asTenant(tenant, async (query) => {
        const uploads = await countUploads(query, tenant, sharer.person);
        return [
          sessions,
          ...uploadLimits.map((limit) => ({ limit, used: uploads[limit], most: usualPersonLimits[limit] })),
          { limit: "jobs", used: await countJobs(query, tenant, storableText(sharer.person)), most: usualPersonLimits.jobs },
          { limit: "artifactBytes", used: await sumPersonBytes(query, tenant, storableText(sessionOwner(principal))), most: artifactBytes },
        ];
      });
    },
  };
}
