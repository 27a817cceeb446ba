import type { EventLog } from "../ports/event-log.ts";
import type { ConformanceCase } from "./conformance-case.ts";

/** An empty log that knows the tenants `acme` and `other`, and a reader on it. */
export interface LogFixture<Reader> {
  readonly log: EventLog;
  readonly reader: Reader;
  readonly cleanup: () => Promise<void>;
}

/** Makes cases that each have an empty log of their own. */
export function onLog<Reader>(open: () => Promise<LogFixture<Reader>>) {
  return (name: string, check: (fixture: LogFixture<Reader>) => Promise<void>): ConformanceCase => ({
    name,
    async run() {
      const fixture = await open();
      try {
        await check(fixture);
      } finally {
        await fixture.cleanup();
      }
    },
  });
}
