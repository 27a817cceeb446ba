import { parse } from "smol-toml";

/** A line that opens a table: `[a.b]`, or an element of an array of tables. */
export interface TomlHeader {
  /** From 0. */
  readonly line: number;
  /** Parts of the name, without quotes. */
  readonly key: readonly string[];
}

/** The lines of a valid document that open a table; text in strings and lists looks like one sometimes and is none. */
export function findTomlHeaders(text: string): readonly TomlHeader[] {
  const headers: TomlHeader[] = [];
  let state: Reading = { depth: 0 };
  for (const [line, words] of text.split("\n").entries()) {
    const opens = state.quote === undefined && state.depth === 0 && /^\s*\[/.test(words);
    if (opens) headers.push({ line, key: keyOf(words.trimEnd()) });
    else state = readLine(words, state);
  }
  return headers;
}

interface Reading {
  /** Brackets and braces that are open. */
  readonly depth: number;
  /** The quotes that end the string over several lines in which the line ends. */
  readonly quote?: '"""' | "'''" | undefined;
}

/** A string, a comment, or a bracket: what else stands in a value says nothing of where it ends. */
const token = /"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|#.*|[[\]{}]/y;

function readLine(words: string, from: Reading): Reading {
  let { depth, quote } = from;
  let position = 0;
  while (position < words.length) {
    if (quote !== undefined) {
      const end = endOfString(words, position, quote);
      if (end === undefined) return { depth, quote };
      position = end;
      quote = undefined;
      continue;
    }
    token.lastIndex = position;
    const [found] = token.exec(words) ?? [];
    position += found?.length ?? 1;
    if (found === '"""' || found === "'''") quote = found;
    else if (found === "[" || found === "{") depth += 1;
    else if (found === "]" || found === "}") depth -= 1;
  }
  return { depth, quote };
}

/** Up to two more quotes may stand right before the three that end the string. */
function endOfString(words: string, from: number, quote: '"""' | "'''"): number | undefined {
  const pattern = quote === '"""' ? /(?:[^"\\]|\\.|\\$|"(?!""))*?"""("{0,2})/y : /(?:[^']|'(?!''))*?'''('{0,2})/y;
  pattern.lastIndex = from;
  return pattern.exec(words) === null ? undefined : pattern.lastIndex;
}

function keyOf(header: string): readonly string[] {
  const key: string[] = [];
  let value: unknown = parse(header);
  while (typeof value === "object" && value !== null) {
    const [name] = Object.keys(value);
    if (name === undefined) break;
    key.push(name);
    const inner: unknown = (value as Readonly<Record<string, unknown>>)[name];
    value = Array.isArray(inner) ? inner[0] : inner;
  }
  return key;
}
