import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";

/** The lines of a file of JSON lines, unpacked where its name ends with .gz. Only a line feed ends one: JSON may hold U+2028, which `readline` takes for an end. */
export async function* readLines(file: string): AsyncGenerator<string> {
  const stream = createReadStream(file);
  // What goes wrong on the way reaches the reader below.
  const source = file.endsWith(".gz") ? pipeline(stream, createGunzip(), () => {}) : stream;
  let rest = "";
  for await (const chunk of source.setEncoding("utf8") as AsyncIterable<string>) {
    const [first = "", ...more] = chunk.split("\n");
    rest += first;
    for (const next of more) {
      yield rest;
      rest = next;
    }
  }
  if (rest !== "") yield rest;
}
