import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { ToolwrightError } from "@toolwright/engine/errors";

/** Characters of one line: more than a row of a backup with an artifact of the largest size, and less than Node.js affords one string. */
const usualLongest = 256 * 1024 * 1024;

/**
 * The lines of a file of JSON lines, unpacked where its name ends with .gz. Only a line feed ends one: JSON may hold U+2028, which `readline` takes for
 * an end. Throws `input_too_large` at a line of more than `longest` characters, before it reads the rest of it: a small packed file may unpack to one
 * line that no memory holds.
 */
export async function* readLines(file: string, longest = usualLongest): AsyncGenerator<string> {
  const stream = createReadStream(file);
  // What goes wrong on the way reaches the reader below.
  const source = file.endsWith(".gz") ? pipeline(stream, createGunzip(), () => {}) : stream;
  let rest = "";
  for await (const chunk of source.setEncoding("utf8") as AsyncIterable<string>) {
    const [first = "", ...more] = chunk.split("\n");
    rest += first;
    for (const next of more) {
      requireShort(rest, longest);
      yield rest;
      rest = next;
    }
    requireShort(rest, longest);
  }
  if (rest !== "") yield rest;
}

function requireShort(line: string, longest: number): void {
  if (line.length <= longest) return;
  const message = `a line has more than ${longest} characters, which is the most that is read`;
  throw new ToolwrightError("input_too_large", message, { details: { limit: longest } });
}
