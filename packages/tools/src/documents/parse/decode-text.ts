import { TextDecoder } from "node:util";
import { type Unreadable, UnreadableError } from "./document.ts";
import type { DocumentNote } from "./document-note.ts";

/** Hints to the encoding of a text, from its caller, its media type and its format. */
export interface KnownEncoding {
  /** Named by the caller: only a byte order mark wins over it. */
  readonly encoding?: string | undefined;
  /** The charset of a media type. UTF-8 wins over it where the bytes are valid UTF-8. */
  readonly charset?: string | undefined;
  /** Whether XML declarations and `meta` elements count. Default: where the text begins with a tag. */
  readonly isMarkup?: boolean;
  /** Whether the bytes may end within a character, since the rest was not fetched. */
  readonly isCut?: boolean;
}

export interface DecodedText {
  readonly text: string;
  /** What was guessed or could not be decoded. */
  readonly notes: readonly DocumentNote[];
}

/** Bytes at the beginning in which a declaration may stand: HTML asks for 1,024, pages with a long comment need more. */
const longestStart = 4_096;
/** Bytes that a guess looks at. */
const longestSample = 16_384;

const marks: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xff, 0xfe, 0, 0], "utf-32le"],
  [[0, 0, 0xfe, 0xff], "utf-32be"],
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
  [[0x84, 0x31, 0x95, 0x33], "gb18030"],
];

/**
 * Decodes text by its byte order mark, by what is known, by what it declares itself, and by its bytes, in this order. Undefined where the bytes are no
 * text. *Contract:* takes time that grows with the length alone. Throws UnreadableError `unknown_encoding` for a name that nothing here decodes.
 */
export async function decodeText(bytes: Uint8Array, known: KnownEncoding = {}): Promise<DecodedText | undefined> {
  const [mark, marked] = marks.find(([each]) => each.every((byte, at) => bytes[at] === byte)) ?? [];
  if (mark && marked !== undefined) return decodeAs(bytes.subarray(mark.length), marked);
  if (known.encoding !== undefined) return decodeAs(bytes, known.encoding);
  const wide = wideEncodingOf(bytes);
  if (wide !== undefined) return decodeAs(bytes, wide);
  const start = latin1(bytes.subarray(0, longestStart));
  const declared = (await canonical(known.charset)) ?? (await canonical(declaredIn(start, known.isMarkup)));
  const doubled = declared !== undefined && isDoubled(declared) ? tryDecode(bytes, declared) : undefined;
  if (doubled !== undefined) return { text: doubled, notes: [] };
  const escaped = decodeEscapes(bytes, start);
  if (escaped !== undefined) return { text: escaped, notes: [] };
  const own = tryDecode(bytes, "utf-8", known.isCut);
  if (own !== undefined) return isBinary(own, 0.3) ? undefined : { text: own, notes: [] };
  if (isBinary(latin1(bytes), 0.03)) return undefined;
  if (declared !== undefined && declared !== "utf-8") return decodeAs(bytes, declared);
  return mostlyUtf8(bytes) ?? guess(bytes);
}

/** The encoding that markup declares (XML 4.3.3; HTML, prescan): a page that is read as bytes is not in UTF-16, whatever it says. */
function declaredIn(start: string, isMarkup = /^\s*<[!?a-z]/i.test(start)): string | undefined {
  if (!isMarkup) return undefined;
  const label =
    /^\s*<\?xml\s[^>]{0,200}\bencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start)?.[1] ??
    Array.from(start.matchAll(/<meta\b[^<>]*/gi), ([tag]) => /\bcharset[\s="']{1,20}([\w.:-]{1,40})/i.exec(tag)?.[1]).find(Boolean);
  return label !== undefined && /^utf-?(?:16|32)/i.test(label) ? "utf-8" : label;
}

/** Each byte as the character of its number, which the label `latin1` of TextDecoder does not mean. */
export const latin1 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");

function decoderOf(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

/** The name of an encoding that something here decodes, and undefined for all others. */
export async function canonical(label: string | undefined): Promise<string | undefined> {
  if (label === undefined) return undefined;
  const decoder = decoderOf(label);
  if (decoder) return decoder.encoding;
  const { default: iconv } = await import("iconv-lite");
  // It also has what is no encoding of text.
  return !/^(?:hex|base64|binary)/i.test(label) && iconv.encodingExists(label) ? label : undefined;
}

/** Encodings of East Asia, whose short texts can be valid UTF-8 by chance. */
const isDoubled = (encoding: string) => /^(?:shift_jis|euc-|big5|gb|iso-2022)/.test(encoding);

function tryDecode(bytes: Uint8Array, encoding: string, isCut = false): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}

/** UTF-16 and UTF-32 without a mark: most characters of most texts have zeros at the same places. */
function wideEncodingOf(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, longestStart - (bytes.length < longestStart ? bytes.length % 4 : 0));
  const zeros = [0, 0, 0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 4] = (zeros[at % 4] ?? 0) + 1;
  const quarter = sample.length / 4;
  const isFull = zeros.map((count) => (count > quarter * 0.7 ? 1 : count < quarter * 0.05 ? 0 : -1)).join("");
  const found = new Map([
    ["0101", "utf-16le"],
    ["1010", "utf-16be"],
    ["0111", "utf-32le"],
    ["1110", "utf-32be"],
  ]).get(isFull);
  return quarter < 1 ? undefined : found;
}

/** Encodings of seven bits that change the character set with an escape sequence (ISO 2022). */
function decodeEscapes(bytes: Uint8Array, start: string): string | undefined {
  if (!start.includes("\x1b")) return undefined;
  // The sequences of terminals are others: ESC [ and ESC ].
  if (start.includes("\x1b$)C")) return tryDecode(shiftedOut(bytes), "euc-kr");
  return ["$@", "$B", "(J", "(I"].some((each) => start.includes(`\x1b${each}`)) ? tryDecode(bytes, "iso-2022-jp") : undefined;
}

/** ISO-2022-KR as EUC-KR: what stands between SO and SI has the eighth bit there (RFC 1557). */
function shiftedOut(bytes: Uint8Array): Uint8Array {
  const header = [0x1b, 0x24, 0x29, 0x43];
  const out: number[] = [];
  let isOut = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x0e || byte === 0x0f) isOut = byte === 0x0e;
    else if (byte === 0x1b && header.every((each, offset) => bytes[at + offset] === each)) at += header.length - 1;
    else out.push(isOut && byte > 0x20 ? byte | 0x80 : byte);
  }
  return Uint8Array.from(out);
}

/** Text holds few controls beside blanks, ends of lines, bells and escapes. Logs may hold holes of zeros where a machine stopped. */
function isBinary(text: string, most: number): boolean {
  const whole = text.replace(/\0{8,}/g, "\0");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is counted
  const controls = whole.match(most < 0.1 ? /[\0-\x06\x0e-\x1a\x1c-\x1f]/g : /\0/g)?.length ?? 0;
  return controls > whole.length * most;
}

/** UTF-8 with some broken bytes, as logs of several programs have: what fits is far more than what does not. */
function mostlyUtf8(bytes: Uint8Array): DecodedText | undefined {
  const text = new TextDecoder().decode(bytes);
  const others = text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0;
  const decoded = withBroken(text, "UTF-8");
  return others > 4 * (decoded.notes[0]?.count ?? 0) ? decoded : undefined;
}

async function decodeAs(bytes: Uint8Array, label: string): Promise<DecodedText> {
  const encoding = await canonical(label);
  if (encoding === undefined) throw new UnreadableError(...unknownEncoding(label));
  const decoder = decoderOf(encoding);
  if (decoder) return withBroken(decoder.decode(bytes), encoding);
  const { default: iconv } = await import("iconv-lite");
  return withBroken(iconv.decode(bytes, encoding), encoding);
}

export const unknownEncoding = (encoding: string): [Unreadable["reason"], string] => [
  "unknown_encoding",
  `The encoding ${JSON.stringify(encoding.slice(0, 40))} is unknown. Name one such as utf-8, windows-1251, shift_jis or cp437.`,
];

const mostLines = 20;

/** With a note on the bytes that have no character in the encoding. */
function withBroken(text: string, encoding: string): DecodedText {
  const lines: number[] = [];
  let [count, line, from] = [0, 1, 0];
  for (let at = text.indexOf("\ufffd"); at >= 0; at = text.indexOf("\ufffd", at + 1)) {
    count += 1;
    if (lines.length >= mostLines) continue;
    line += text.slice(from, at).split("\n").length - 1;
    from = at;
    if (lines.at(-1) !== line) lines.push(line);
  }
  const what = `Bytes that are not ${encoding} are shown as U+FFFD`;
  const advice = "If other words look wrong too, name the encoding of the text with encoding.";
  return { text, notes: count === 0 ? [] : [{ what, count, lines, advice }] };
}

async function guess(bytes: Uint8Array): Promise<DecodedText> {
  const { analyse } = await import("chardet");
  const first = Math.max(
    0,
    bytes.findIndex((byte) => byte > 0x7f),
  );
  const likely = analyse(bytes.subarray(first, first + longestSample)).filter(({ confidence }) => confidence > 10);
  const names = [...likely.map(({ name }) => name), "windows-1252", "ibm866"];
  for (const name of names) {
    const decoder = decoderOf(name);
    const text = decoder && tryDecode(bytes, decoder.encoding);
    if (!decoder || text === undefined || /[\x80-\x9f]/.test(text) || (name === "ibm866" && !isForeign(text))) continue;
    return { text, notes: [guessed(decoder.encoding)] };
  }
  // The code page of the first PCs gives every byte a character.
  const { text } = await decodeAs(bytes, "cp437");
  return { text, notes: [guessed("cp437")] };
}

/** More letters of another script than Latin ones. */
const isForeign = (text: string) => (text.match(/\p{Script=Cyrillic}/gu)?.length ?? 0) > (text.match(/[a-z]/gi)?.length ?? 0);

const guessed = (encoding: string): DocumentNote => ({
  what: `The encoding of the text is not known: it is read as ${encoding}, which is a guess`,
  advice: "If words look wrong, name its encoding with encoding, such as windows-1251, shift_jis or cp437.",
});
