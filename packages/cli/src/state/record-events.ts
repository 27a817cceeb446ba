import { appendFile } from "node:fs/promises";
import type { CallEvent, EventLog } from "@toolwright/engine";

export interface RecordingLog extends EventLog {
  /** Resolves when all that was appended is written. */
  close(): Promise<void>;
}

/** A log that also appends each event to a file, one JSON object a line, for its owner alone. What tools put out on the way is left to the log. */
export function recordEvents(path: string, log: EventLog): RecordingLog {
  let written: Promise<unknown> = Promise.resolve();
  return {
    read: (query) => log.read(query),
    async append(events) {
      const text = events.filter(isTold).map((event) => `${JSON.stringify(event)}\n`);
      // In one write, and one after the other, so that lines of several processes do not mix.
      const mine = written.then(() => (text.length === 0 ? undefined : appendFile(path, text.join(""), { mode: 0o600 })));
      written = mine.catch(() => {});
      await mine;
      await log.append(events);
    },
    close: async () => void (await written),
  };
}

const isTold = ({ type }: CallEvent) => type !== "tool.output_appended";
