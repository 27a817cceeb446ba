import type { Logger } from "@toolwright/engine";
import { visibleText } from "@toolwright/engine/ports";
import type { ServerIo } from "../io.ts";

const shown = { debug: false, info: true, warn: true, error: true };

/** The operator's log on stderr: one line an entry, fields as JSON, nothing that a terminal obeys (R-AU-3). */
export function createLogger(io: Pick<ServerIo, "err">): Logger {
  return {
    log(level, message, fields = {}) {
      if (!shown[level]) return;
      const entries = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(toJson(value)) ?? "undefined"}`);
      io.err(`${level}: ${visibleText(message).replaceAll("\n", "<U+000A>")}${visibleText(entries.join(""))}\n`);
    },
  };
}

function toJson(value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
