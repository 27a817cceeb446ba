/** The operator's log. *Contract:* never throws. Fields are data, never syntax; line breaks in them must be escaped by the sink. */
export interface Logger {
  log(level: "debug" | "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentLogger: Logger = { log() {} };

/** Messages that a logger remembers, so that it writes each once. */
const mostRemembered = 1_000;

/** Writes warnings and errors, each message once, on a line of its own. `write` is given whole lines; default: stderr. */
export function createStderrLogger(write: (line: string) => void = (line) => void process.stderr.write(line)): Logger {
  const written = new Set<string>();
  return {
    log(level, message, fields) {
      if ((level !== "warn" && level !== "error") || written.has(message)) return;
      if (written.size >= mostRemembered) written.clear();
      written.add(message);
      write(`toolwright ${level}: ${[oneLine(message), ...(fields ? [describe(fields)] : [])].join(" ")}\n`);
    },
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not reach a terminal.
const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");

function describe(fields: Readonly<Record<string, unknown>>): string {
  try {
    return oneLine(JSON.stringify(fields));
  } catch {
    return "(fields that are no JSON)";
  }
}
