import type { Logger } from "@toolwright/engine";
import { oneLine } from "@toolwright/engine/visible-text";
import type { ServerIo } from "../io.ts";

const shown = { debug: false, info: true, warn: true, error: true };

/** The operator's log on stderr: one line an entry, fields as JSON, nothing that a terminal obeys (R-AU-3). */
export function createLogger(io: Pick<ServerIo, "err">): Logger {
  return {
    log(level, message, fields = {}) {
      if (!shown[level]) return;
      const entries = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(toJson(value)) ?? "undefined"}`);
      io.err(`${oneLine(`${level}: ${message}${entries.join("")}`)}\n`);
    },
  };
}

function toJson(value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
