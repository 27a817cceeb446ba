import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import type { Json } from "./json-schema.ts";

export type ReadJson = { readonly json: Json } | { readonly problem: string };

/** Reads JSON that somebody typed; a mistake is told with its line and column, which browsers leave out. */
export function readJson(text: string): ReadJson {
  try {
    return { json: JSON.parse(text) as Json };
  } catch {
    const errors: ParseError[] = [];
    parse(text, errors, { disallowComments: true });
    const [{ offset, error } = { offset: text.length, error: 0 }] = errors;
    const before = text.slice(0, offset).split("\n");
    return {
      problem: `This is not JSON in line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${wordsOf(printParseErrorCode(error))}.`,
    };
  }
}

/** `CommaExpected` is "comma expected". */
function wordsOf(code: string): string {
  return code.replace(/(?!^)[A-Z]/g, " $&").toLowerCase();
}
