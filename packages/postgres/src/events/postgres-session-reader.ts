import type { SessionReader } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { type HeadPage, pageHeads, readEvents, readHeads } from "./event-queries.ts";
import { followEvents } from "./follow-events.ts";
import { verifyLog } from "./verify-log.ts";

export function createPostgresSessionReader(database: Database): SessionReader {
  return {
    list({ tenant, session }) {
      const read = (page: HeadPage) =>
        tenant === undefined
          ? database.asSystem((query) => readHeads(query, page))
          : database.asTenant(tenant, (query) => readHeads(query, page));
      return pageHeads(read, { tenant, session });
    },
    page: (page) => database.asTenant(page.tenant, (query) => readEvents(query, page)),
    follow: (options, signal) => followEvents(database, options, signal),
    verify: (options) => verifyLog(database, options),
  };
}
