import type { RunReader } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { findRun, listRuns } from "./list-runs.ts";
import { readBeginnings } from "./read-beginnings.ts";

export function createPostgresRunReader(database: Database): RunReader {
  return {
    list: (filter) => listRuns(database, filter),
    find: (tenant, id) => findRun(database, tenant, id),
    beginnings: (filter) => readBeginnings(database, filter),
  };
}
