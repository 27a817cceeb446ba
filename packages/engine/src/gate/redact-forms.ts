import { isSpecial } from "./redact-escapes.ts";

/** A text that a secret shows itself by: for each of its characters the ways to write it, every sign of which may be escaped. */
export interface Form {
  readonly signs: readonly (readonly string[])[];
  /** Two for each of the characters: the ways to write it, if they are no more than that and cannot be mistaken for an escape or a line break. */
  readonly codes: Int32Array;
  /** How many line breaks may have been put into it. */
  readonly breaks: number;
}

/** Among the codes of a form: see its signs. */
export const several = -1;

/** Shorter encodings would match ordinary text. */
const shortestEncoded = 6;
/** Shorter values broken into lines would match ordinary words. */
const shortestWrapped = 20;
/** Columns of the narrowest lines that a form is broken into. */
const narrowest = 16;

/** A secret as it is, and it and its JSON as hex and as base64 and base64url, also within a longer text. */
export function formsOf(value: string): readonly Form[] {
  const bytes = [...new Set([value, ...jsonTexts(value)])].map((text) => Buffer.from(text, "utf8"));
  const hex = bytes.map((each) => each.toString("hex"));
  const base64 = bytes.flatMap(base64Cores);
  return [
    plainForm(value),
    ...hex.filter(isTelling).map((text) => toForm(text, inHex, linesOf(text))),
    ...base64.filter(isTelling).map((text) => toForm(text, inBase64, linesOf(text))),
  ];
}

function isTelling(encoded: string): boolean {
  return encoded.length >= shortestEncoded;
}

function linesOf(text: string): number {
  return Math.ceil(text.length / narrowest);
}

/** A long value may also have been brought into other lines than its own. */
function plainForm(value: string): Form {
  const lines = value.split(/\r?\n/);
  const bare = lines.join("");
  return bare.length < shortestWrapped ? toForm(lines.join("\n"), inText, 0) : toForm(bare, inText, lines.length + linesOf(bare));
}

function toForm(text: string, write: (sign: string) => readonly string[], breaks: number): Form {
  const written = new Map([...new Set(text)].map((sign) => [sign, [...new Set(write(sign))]]));
  const signs = Array.from(text, (sign) => written.get(sign)!);
  return { signs, codes: Int32Array.from(signs.flatMap(codesOf)), breaks };
}

function codesOf(ways: readonly string[]): readonly [number, number] {
  const isPlain = ways.length <= 2 && ways.every((way) => way.length === 1 && !isSpecial(way.charCodeAt(0)));
  return isPlain ? [ways[0]!.charCodeAt(0), ways.at(-1)!.charCodeAt(0)] : [several, several];
}

/** Beside the character its UTF-8 read one byte a character: so it is percent-encoded, and bytes of files are searched. */
function inText(sign: string): readonly string[] {
  const wellFormed = sign.toWellFormed();
  const ways = [sign, wellFormed, Buffer.from(wellFormed, "utf8").toString("latin1")];
  if (sign === " ") return [...ways, "+"];
  if (sign === "\n") return [...ways, "\r\n"];
  // An escape that is part of the value, and the same escaped again.
  return sign === "%" ? [...ways, "%25", "%2525", "%252525"] : ways;
}

function inHex(digit: string): readonly string[] {
  return [digit, digit.toUpperCase()];
}

function inBase64(sign: string): readonly string[] {
  return [sign, sign.replace("+", "-").replace("/", "_")];
}

/** Base64 of a secret inside a longer text depends on its offset modulo three: the part that does not is what is searched. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 8) / 6));
  });
}

/** As JavaScript, Python, PHP, Go and .NET write it. Once it is encoded, it is not to be seen which of the signs are escaped. */
function jsonTexts(value: string): string[] {
  const text = JSON.stringify(value).slice(1, -1);
  const ascii = escapeIn(text, /[^\x20-\x7e]/g);
  const dotnet = escapeIn(text.replaceAll('\\"', '"'), /[^\x20-\x7e]|["&'+<>`]/g);
  const capitals = dotnet.replace(/\\u[\da-f]{4}/g, (sign) => `\\u${sign.slice(2).toUpperCase()}`);
  const slashes = [text, ascii].map((each) => each.replaceAll("/", "\\/"));
  return [text, ascii, ...slashes, escapeIn(text, /[&<>\u2028\u2029]/g), capitals];
}

function escapeIn(text: string, signs: RegExp): string {
  return text.replace(signs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
