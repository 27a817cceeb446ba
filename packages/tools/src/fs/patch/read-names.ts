const escapes = new Map([
  ["n", 0x0a],
  ["t", 0x09],
  ["r", 0x0d],
  ["a", 0x07],
  ["b", 0x08],
  ["f", 0x0c],
  ["v", 0x0b],
]);

/** Characters of two names in quotes: 4,096 bytes each (PATH_MAX of Linux), at most four characters a byte. */
const mostOfNames = 2 * (4 * 4_096 + 2) + 1;

/** A name as git writes it: in quotes, with bytes in octal, where it holds what is not plain. */
export function unquoteName(name: string): string {
  const quoted = name.length <= mostOfNames ? /^"((?:[^"\\]|\\.)*)"$/.exec(name)?.[1] : undefined;
  if (quoted === undefined) return name;
  const parts = quoted.match(/\\(?:[0-7]{3}|.)|[^\\]+/g) ?? [];
  return Buffer.concat(parts.map(toBytes)).toString();
}

function toBytes(part: string): Buffer {
  if (!part.startsWith("\\")) return Buffer.from(part);
  if (part.length === 4) return Buffer.from([Number.parseInt(part.slice(1), 8) & 0xff]);
  const code = escapes.get(part[1]!);
  return code === undefined ? Buffer.from(part.slice(1)) : Buffer.from([code]);
}

/** The two names behind `diff --git`, without `a/` and `b/`; none where blanks leave open where the first ends. Only of files that keep their name they are needed. */
export function readNames(text: string): { readonly from?: string; readonly to?: string } {
  const quoted = text.length <= mostOfNames ? /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(text) : null;
  if (quoted) return { from: unquoteName(quoted[1]!).slice(2), to: unquoteName(quoted[2]!).slice(2) };
  const same = halfOf(text, ["a/", " b/"]) ?? halfOf(text, ["", " "]);
  return same === undefined ? {} : { from: same, to: same };
}

/** The name that follows each of two marks, where the text is nothing else. */
function halfOf(text: string, [first, second]: readonly [string, string]): string | undefined {
  const name = text.slice(first.length, (text.length + first.length - second.length) / 2);
  return name !== "" && text === first + name + second + name ? name : undefined;
}
