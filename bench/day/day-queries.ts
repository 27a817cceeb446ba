import { listRuns, readEvents, readUsage, type Store, verifyLog } from "@toolwright/postgres";
import { dayStart, rareTool } from "./fill-day.ts";

const tenant = "default";
const session = "session-1000";

/** What people look at, each by its name. */
export const dayQueries: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  "list a session": ({ database }) => database.asTenant(tenant, (query) => readEvents(query, { tenant, session })),
  "verify a session": async ({ database }) => {
    for await (const { faults, events } of verifyLog(database, { tenant, session }))
      if (faults.length > 0 || events === 0) throw new Error("The benchmark's own log is not whole.");
  },
  "runs, newest": ({ database }) => listRuns(database, { tenant }),
  "runs of a rare tool": ({ database }) => listRuns(database, { tenant, tool: rareTool }),
  "runs of an agent that failed": ({ database }) => listRuns(database, { tenant, agent: "tester", status: "error" }),
  "runs that still go on": ({ database }) => listRuns(database, { tenant, status: "running" }),
  "usage by tool": ({ database }) => readUsage(database, { tenant, by: "tool", since: dayStart }),
  "usage by agent": ({ database }) => readUsage(database, { tenant, by: "agent", since: dayStart }),
  "usage by hour": ({ database }) => readUsage(database, { tenant, by: "hour", since: dayStart }),
};
