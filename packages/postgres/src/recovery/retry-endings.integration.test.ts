import { ToolwrightError } from "@toolwright/engine";
import type { EventLog } from "@toolwright/engine/ports";
import { makeCall } from "@toolwright/engine/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { retryEndings } from "./retry-endings.ts";

describe.each(testDatabaseKinds)("endings that the database could not be told, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  /** A log whose database goes away before or after it has written what it is given. */
  const open = () => {
    const log = createPostgresEventLog(test.database, "p1");
    let goesAway: "before" | "after" | undefined;
    const leave = (when: typeof goesAway) => {
      if (goesAway === when) throw new ToolwrightError("store_unreachable", "The database is away.");
    };
    const leaving: EventLog = {
      read: log.read,
      async append(events) {
        leave("before");
        await log.append(events);
        leave("after");
      },
    };
    return {
      log: retryEndings(leaving, test.database, "p1"),
      away: (when: typeof goesAway) => {
        goesAway = when;
      },
    };
  };

  it.each(["before", "after"] as const)("are written once when it is back, where it went away %s writing them", async (when) => {
    const { log, away } = open();
    const session = `away ${when}`;
    const [started, ended] = makeCall("tool.completed", { session, callId: session });
    if (!started || !ended) throw new Error("A call starts and ends.");
    await log.append([started]);
    away(when);
    await expect(log.append([ended])).rejects.toMatchObject({ code: "store_unreachable" });
    away(undefined);
    await log.retry();
    await log.retry();
    const stored = await log.read({ tenant: "acme", session });
    expect(stored.map(({ event }) => event.type)).toEqual(["tool.started", "tool.completed"]);
  });
});
