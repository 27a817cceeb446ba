/** Words that one word may stand for. */
const maxWords = 1000;

/**
 * `{a,b}` and `{1..3}` as bash expands them; a backslash takes the meaning from the character behind it and stays. Undefined when there are more
 * than are looked at.
 */
export function expandBraces(pattern: string): readonly string[] | undefined {
  const budget = { left: maxWords };
  const words = expand(pattern, budget);
  return budget.left < 0 ? undefined : words;
}

function expand(pattern: string, budget: { left: number }): readonly string[] {
  const found = findBraces(pattern);
  if (!found) return budget.left-- > 0 ? [pattern] : [];
  const { start, end, members } = found;
  const words: string[] = [];
  for (const member of members) {
    if (budget.left < 0) break;
    words.push(...expand(`${pattern.slice(0, start)}${member}${pattern.slice(end + 1)}`, budget));
  }
  return words;
}

interface Braces {
  readonly start: number;
  readonly end: number;
  readonly members: readonly string[];
}

/** The first braces that stand for several words; others are characters like any. */
function findBraces(pattern: string): Braces | undefined {
  for (let start = 0; start < pattern.length; start++) {
    if (pattern[start] === "\\") start++;
    else if (pattern[start] === "{") {
      const read = readBraces(pattern, start);
      if (read) return read;
    }
  }
  return undefined;
}

function readBraces(pattern: string, start: number): Braces | undefined {
  const members: string[] = [];
  let depth = 1;
  let from = start + 1;
  for (let at = start + 1; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") at++;
    else if (char === "{") depth++;
    else if (char === "," && depth === 1) {
      members.push(pattern.slice(from, at));
      from = at + 1;
    } else if (char === "}" && --depth === 0) {
      const last = pattern.slice(from, at);
      const list = members.length > 0 ? [...members, last] : readSequence(last);
      return list && { start, end: at, members: list };
    }
  }
  return undefined;
}

function readSequence(text: string): readonly string[] | undefined {
  const [, first, last, step] = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?$/.exec(text) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const isLetters = /[A-Za-z]/.test(first);
  if (isLetters !== /[A-Za-z]/.test(last)) return undefined;
  const [from, to] = isLetters ? [first.charCodeAt(0), last.charCodeAt(0)] : [Number(first), Number(last)];
  const stride = (Math.abs(Number(step ?? 1)) || 1) * (from <= to ? 1 : -1);
  const count = Math.min(Math.floor(Math.abs(to - from) / Math.abs(stride)) + 1, maxWords + 1);
  const width = /^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0;
  const show = (value: number) => (isLetters ? String.fromCharCode(value) : padNumber(value, width));
  return Array.from({ length: count }, (_, index) => show(from + index * stride));
}

function padNumber(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
}
