export const nowhere = "/dev/null";

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

/** A file before and after, as a patch names it on its two sides. */
export interface Names {
  readonly from: string;
  readonly to: string;
}

/**
 * The two names behind `diff --git`. Blanks may leave open where the first ends: then a name that another line tells decides, and else that both
 * have the same length, as they do where a file keeps its name. Undefined where neither does.
 */
export function splitNames(text: string, known: Partial<Names>): Names | undefined {
  const quoted = text.length <= mostOfNames ? /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(text) : null;
  if (quoted) return { from: unquoteName(quoted[1]!), to: unquoteName(quoted[2]!) };
  const { from, to } = known;
  if (to !== undefined && text.endsWith(` ${to}`)) return { from: text.slice(0, -to.length - 1), to };
  if (from !== undefined && text.startsWith(`${from} `)) return { from, to: text.slice(from.length + 1) };
  const half = (text.length - 1) / 2;
  const names = { from: text.slice(0, half), to: text.slice(half + 1) };
  return text[half] === " " && nameOf(names) !== undefined ? names : undefined;
}

/**
 * The name of a file in the workspace: without the folder or letter that tells one side from the other (`a/` and `b/`, `i/` and `w/`, `old/` and
 * `new/`), if all behind it is alike. Undefined where the names differ in more.
 */
export function nameOf({ from, to }: Names, isTree = false): string | undefined {
  if (from === to) return from === "" ? undefined : from;
  const [old, added] = [from.split("/"), to.split("/")];
  const side = old.findIndex((part, at) => part !== added[at]);
  if (old.length !== added.length || side === -1 || side === old.length - 1) return undefined;
  const name = old.slice(side + 1).join("/");
  if (name === "" || name !== added.slice(side + 1).join("/")) return undefined;
  // Below a folder that both have, another folder may be the side of two trees, or where the file was moved to.
  return side === 0 || from.startsWith("/") || isTree ? name : undefined;
}

/** The names without `a/` and `b/`, where each side has its own. */
export function withoutSides({ from, to }: Names): Names {
  const isSide = (name: string, side: string) => name === nowhere || name.startsWith(side);
  const strip = (name: string) => (name === nowhere ? name : name.slice(2));
  return isSide(from, "a/") && isSide(to, "b/") ? { from: strip(from), to: strip(to) } : { from, to };
}
