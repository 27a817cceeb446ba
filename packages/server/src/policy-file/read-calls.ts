import { SettingsError } from "../settings-error.ts";
import { readLines as linesOf } from "../text/read-lines.ts";
import { describeSystemError } from "../text/system-words.ts";

/** Each line of a file with its number, as the value that it holds; undefined for what is no JSON. */
export async function* readLines(path: string): AsyncGenerator<{ readonly line: number; readonly value: unknown }> {
  let line = 0;
  try {
    for await (const text of linesOf(path)) {
      line += 1;
      if (text.trim() !== "") yield { line, value: parseJson(text) };
    }
  } catch (cause) {
    throw new SettingsError(
      `The calls ${path} cannot be read: ${describeSystemError(cause)}. Name a file that toolwright log export wrote.`,
      {
        cause,
      },
    );
  }
}

function parseJson(row: string): unknown {
  try {
    return JSON.parse(row);
  } catch {
    return undefined;
  }
}
