/** The operator's log. *Contract:* never throws. Fields are data, never syntax; line breaks in them must be escaped by the sink. */
export interface Logger {
  log(level: "debug" | "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentLogger: Logger = { log() {} };
