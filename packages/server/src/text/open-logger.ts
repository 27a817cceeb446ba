import type { Logger } from "@toolwright/engine";
import { oneLine } from "@toolwright/engine/visible-text";
import type { ServerIo } from "../io.ts";
import { SettingsError } from "../settings-error.ts";

/** Members of fields that could hold what nobody should read, whoever logs them. */
const secretNames = ["authorization", "cookie", "password", "secret", "token", "apiKey", "masterKey"];

/** The operator's log on stderr: lines for people, or with `TOOLWRIGHT_LOG_FORMAT=json` an object on each line for programs. */
export async function openLogger(io: Pick<ServerIo, "err" | "env">): Promise<Logger> {
  const format = io.env.TOOLWRIGHT_LOG_FORMAT || "text";
  if (format === "text") return createLogger(io);
  if (format === "json") return createJsonLogger(io);
  throw new SettingsError(`TOOLWRIGHT_LOG_FORMAT is "${format}". Set it to json or to text, or leave it out for text.`);
}

const shown = { debug: false, info: true, warn: true, error: true };

/** One line an entry, fields as JSON, nothing that a terminal obeys (R-AU-3). */
function createLogger(io: Pick<ServerIo, "err">): Logger {
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

async function createJsonLogger(io: Pick<ServerIo, "err">): Promise<Logger> {
  const { pino } = await import("pino");
  const options = {
    base: { process: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: "[redacted]" },
    serializers: { error: (error: unknown) => (error instanceof Error ? error.message : error) },
  };
  const json = pino(options, { write: (line: string) => io.err(line) });
  return { log: (level, message, fields = {}) => json[level](fields, message) };
}
