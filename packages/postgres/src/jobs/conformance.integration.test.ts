import { createRandomIds, silentLogger, systemClock } from "@toolwright/engine/ports";
import { jobsConformance, type OpenJobs, schedulesConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresJobs } from "./postgres-jobs.ts";
import { createPostgresSchedules } from "./schedules/postgres-schedules.ts";
import { tickSchedules } from "./schedules/tick-schedules.ts";
import { startWorker, type Worker } from "./worker/start-worker.ts";

const ids = createRandomIds();

describe.each(testDatabaseKinds)("jobs and schedules in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open: OpenJobs = async (now) => {
    const { database } = test;
    for (const table of ["job_dependencies", "jobs", "schedules"])
      await database.asSystem((query) => sql`delete from toolwright.${sql.ref(table)}`.execute(query));
    const workers: Worker[] = [];
    return {
      jobs: createPostgresJobs(database, { ids, now }),
      schedules: createPostgresSchedules(database, { ids, now }),
      tick: (at) => tickSchedules(database, { ids, now: at }),
      async work(engine, options = {}) {
        const worker = await startWorker(database, {
          engine,
          ids,
          logger: silentLogger,
          process: "w1",
          clock: { ...systemClock, now },
          ...options,
        });
        workers.push(worker);
        return worker;
      },
      cleanup: async () => void (await Promise.all(workers.map((worker) => worker.stop(2_000)))),
    };
  };
  for (const { name, run } of [...jobsConformance(open), ...schedulesConformance(open)]) it(name, run);
});
