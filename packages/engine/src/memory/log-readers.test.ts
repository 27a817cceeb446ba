import { describe, expect, it } from "vitest";
import { makeEvent, readAll } from "../testing/make-events.ts";
import { runReaderConformance } from "../testing/run-reader-conformance.ts";
import { sessionReaderConformance } from "../testing/session-reader-conformance.ts";
import { usageReaderConformance } from "../testing/usage-reader-conformance.ts";
import { createMemoryEventLog, type MemoryEventLog } from "./event-log.ts";
import { createMemoryRunReader } from "./run-reader.ts";
import { createMemorySessionReader } from "./session-reader.ts";
import { createMemoryUsageReader } from "./usage-reader.ts";

const openWith =
  <Reader>(create: (log: MemoryEventLog) => Reader) =>
  async () => {
    const log = createMemoryEventLog();
    return { log, reader: create(log), cleanup: async () => {} };
  };

describe("runs of the log in memory", () => {
  for (const { name, run } of runReaderConformance(openWith(createMemoryRunReader))) it(name, run);
});

describe("usage of the log in memory", () => {
  for (const { name, run } of usageReaderConformance(openWith(createMemoryUsageReader))) it(name, run);
});

describe("sessions of the log in memory", () => {
  for (const { name, run } of sessionReaderConformance(openWith(createMemorySessionReader))) it(name, run);

  it("reports what was forgotten as removed, and verifies what is left", async () => {
    const log = createMemoryEventLog({ keep: 3 });
    const reader = createMemorySessionReader(log);
    await log.append([1, 2].map((at) => makeEvent({ at })));
    await readAll(reader.list({}));
    await log.append([3, 4, 5, 6, 7, 8, 9].map((at) => makeEvent({ at })));
    const [report] = await readAll(reader.verify({ tenant: "acme" }));
    expect(report).toMatchObject({ events: 3, faults: [], removed: { through: 6, at: 9 } });
  });
});
