/** What patterns match beyond what bash matches by default, where a line may have changed that. */
export interface PatternRules {
  /** Names that begin with a dot too, any case, and `**` over folders (dotglob, nocaseglob, globstar, zsh). */
  readonly generous: boolean;
}

type Token = { readonly kind: "many" } | { readonly kind: "one"; readonly fits: (char: string) => boolean; readonly literal?: string };

const classes: ReadonlyMap<string, RegExp> = new Map([
  ["alpha", /\p{L}/u],
  ["digit", /\d/],
  ["alnum", /[\p{L}\d]/u],
  ["upper", /\p{Lu}/u],
  ["lower", /\p{Ll}/u],
  ["space", /\s/],
  ["blank", /[ \t]/],
  ["punct", /[!-/:-@[-`{-~]/],
  ["xdigit", /[\dA-Fa-f]/],
  ["cntrl", /\p{Cc}/u],
  ["print", /\P{Cc}/u],
  ["graph", /[^\s\p{Cc}]/u],
  ["word", /[\p{L}\d_]/u],
]);

export const hasWildcard = (pattern: string) => /[*?[]/.test(pattern.replace(/\\./gs, ""));
export const withoutEscapes = (pattern: string) => pattern.replace(/\\(.)/gs, "$1");

/** One part of a path pattern, between slashes, as a test of names. Takes time in proportion to pattern and name, whatever they are. */
export function compileName(pattern: string, { generous }: PatternRules): (name: string) => boolean {
  const fold = (text: string) => (generous ? text.toLowerCase() : text);
  const tokens = readTokens(fold(pattern));
  const [first] = tokens;
  const takesDot = generous || (first?.kind === "one" && first.literal === ".");
  return (name) => (takesDot || !name.startsWith(".")) && matches(tokens, [...fold(name)]);
}

/** Goes back to the last `*` only: an earlier one can never do better. */
function matches(tokens: readonly Token[], name: readonly string[]): boolean {
  let [at, token, star, mark] = [0, 0, -1, 0];
  while (at < name.length) {
    const current = tokens[token];
    if (current?.kind === "one" && current.fits(name[at] as string)) [at, token] = [at + 1, token + 1];
    else if (current?.kind === "many") [star, mark, token] = [token, at, token + 1];
    else if (star >= 0) [token, mark, at] = [star + 1, mark + 1, mark + 1];
    else return false;
  }
  return tokens.slice(token).every(({ kind }) => kind === "many");
}

function readTokens(pattern: string): readonly Token[] {
  const chars = [...pattern];
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] as string;
    if (char === "*") tokens.push({ kind: "many" });
    else if (char === "?") tokens.push({ kind: "one", fits: () => true });
    else if (char === "[") {
      const set = readSet(chars, at);
      tokens.push(set?.token ?? literal("["));
      at = set?.end ?? at;
    } else if (char === "\\" && at + 1 < chars.length) tokens.push(literal(chars[++at] as string));
    else tokens.push(literal(char));
  }
  return tokens;
}

function literal(char: string): Token {
  return { kind: "one", literal: char, fits: (other) => other === char };
}

function readSet(chars: readonly string[], start: number): { readonly token: Token; readonly end: number } | undefined {
  let at = start + 1;
  const negated = chars[at] === "!" || chars[at] === "^";
  if (negated) at++;
  const tests: ((char: string) => boolean)[] = [];
  for (let first = true; at < chars.length; first = false) {
    if (chars[at] === "]" && !first) {
      return { token: { kind: "one", fits: (char) => tests.some((test) => test(char)) !== negated }, end: at };
    }
    at = readMember(chars, at, tests);
  }
  return undefined;
}

function readMember(chars: readonly string[], at: number, tests: ((char: string) => boolean)[]): number {
  const named = /^\[:(\w+):\]/.exec(chars.slice(at, at + 12).join(""));
  const known = named && classes.get(named[1] as string);
  if (named && known) {
    tests.push((char) => known.test(char));
    return at + named[0].length;
  }
  const [low, next] = readChar(chars, at);
  if (chars[next] !== "-" || chars[next + 1] === undefined || chars[next + 1] === "]") {
    tests.push((char) => char === low);
    return next;
  }
  const [high, after] = readChar(chars, next + 1);
  tests.push((char) => char >= low && char <= high);
  return after;
}

function readChar(chars: readonly string[], at: number): readonly [char: string, next: number] {
  return chars[at] === "\\" && at + 1 < chars.length ? [chars[at + 1] as string, at + 2] : [chars[at] as string, at + 1];
}
