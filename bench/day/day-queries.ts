import type { Store } from "@toolwright/postgres";
import { dayStart, rareTool } from "./fill-day.ts";

const tenant = "default";
const session = "session-1000";

/** What people look at, each by its name. */
export const dayQueries: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  "list a session": ({ log }) => log.page({ tenant, session }),
  "verify a session": async ({ log }) => {
    for await (const { faults, events } of log.verify({ tenant, session }))
      if (faults.length > 0 || events === 0) throw new Error("The benchmark's own log is not whole.");
  },
  "runs, newest": ({ runs }) => runs.list({ tenant }),
  "runs of a rare tool": ({ runs }) => runs.list({ tenant, tool: rareTool }),
  "runs of an agent that failed": ({ runs }) => runs.list({ tenant, agent: "tester", status: "error" }),
  "runs of a person who is not there": ({ runs }) => runs.list({ tenant, user: "nobody" }),
  "runs through a door that asked": ({ runs }) => runs.list({ tenant, door: "mcp", decision: "ask" }),
  "runs inside a call": ({ runs }) => runs.list({ tenant, parent: "call_none" }),
  "runs that still go on": ({ runs }) => runs.list({ tenant, status: "running" }),
  "usage by tool": ({ usage }) => usage.read({ tenant, by: "tool", since: dayStart }),
  "usage by agent": ({ usage }) => usage.read({ tenant, by: "agent", since: dayStart }),
  "usage by hour": ({ usage }) => usage.read({ tenant, by: "hour", since: dayStart }),
};
