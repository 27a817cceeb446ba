import { printParseErrorCode, visit } from "jsonc-parser";
import type { Json } from "./json-schema.ts";

export type ReadJson = { readonly json: Json } | { readonly problem: string };

/** What was read last: a page is drawn several times for one text, and a long one takes its time. */
let last: { readonly text: string; readonly read: ReadJson } | undefined;

/** Reads JSON that somebody typed; a mistake is told with its line and column, which browsers leave out. */
export function readJson(text: string): ReadJson {
  if (last?.text !== text) last = { text, read: read(text) };
  return last.read;
}

function read(text: string): ReadJson {
  try {
    return { json: JSON.parse(text) as Json };
  } catch {
    const { offset, error } = firstMistake(text);
    const before = text.slice(0, offset).split("\n");
    return {
      problem: `This is not JSON in line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${wordsOf(printParseErrorCode(error))}.`,
    };
  }
}

class Mistake {
  readonly error: number;
  readonly offset: number;

  constructor(error: number, offset: number) {
    this.error = error;
    this.offset = offset;
  }
}

/** Nothing after it is read. */
function firstMistake(text: string): Mistake {
  try {
    const onError = (error: number, offset: number) => {
      throw new Mistake(error, offset);
    };
    visit(text, { onError }, { disallowComments: true });
  } catch (found) {
    if (found instanceof Mistake) return found;
    throw found;
  }
  return new Mistake(0, text.length);
}

/** `CommaExpected` is "comma expected". */
function wordsOf(code: string): string {
  return code.replace(/(?!^)[A-Z]/g, " $&").toLowerCase();
}
