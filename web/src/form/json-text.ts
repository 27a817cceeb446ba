import type { Json } from "./json-schema.ts";

export type ReadJson = { readonly json: Json } | { readonly problem: string };

/** Reads JSON that somebody typed; a mistake is told with its line and column. */
export function readJson(text: string): ReadJson {
  try {
    return { json: JSON.parse(text) as Json };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const at = positionOf(words, text);
    const where = at === undefined ? "" : ` in line ${at.line}, column ${at.column}`;
    return { problem: `This is not JSON${where}: ${said(words)}.` };
  }
}

/** Browsers name an offset, a line, or nothing where the text ends too early. */
function positionOf(words: string, text: string): { readonly line: number; readonly column: number } | undefined {
  const [, line, column] = /line (\d+) column (\d+)/.exec(words) ?? [];
  if (line !== undefined && column !== undefined) return { line: Number(line), column: Number(column) };
  const [, offset] = /position (\d+)/.exec(words) ?? [];
  if (offset === undefined && !/end of/i.test(words)) return undefined;
  const before = text.slice(0, offset === undefined ? text.length : Number(offset)).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Without what is said better, and without a long quotation. */
function said(words: string): string {
  const short = words
    .replace(/^JSON\.parse: /, "")
    .replace(/,? (?:in JSON )?at (?:position|line) .*$/s, "")
    .replace(/, (?:\.\.\.)?".*$/s, "");
  return short.replace(/\.$/, "") || "it ends too early";
}
