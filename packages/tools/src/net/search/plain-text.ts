const longestRead = 20_000;
const entities = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
  ["hellip", "…"],
  ["ndash", "–"],
  ["mdash", "—"],
  ["lsquo", "‘"],
  ["rsquo", "’"],
  ["ldquo", "“"],
  ["rdquo", "”"],
]);
/** What marks words and separates none. */
const inline = /<\/?(?:a|abbr|b|cite|code|em|font|i|mark|q|s|small|span|strong|sub|sup|u)\b[^<>]*>/gi;
const tag = /<[a-z!?/][^<>]*>/gi;
const unseen = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Co}|\p{Cn}/gu;

/** One line without markup, control and invisible characters, cut at a length; empty for what is no text. */
export function plainText(value: unknown, most: number): string {
  if (typeof value !== "string") return "";
  const text = value
    .slice(0, longestRead)
    .toWellFormed()
    .replace(inline, "")
    .replace(tag, " ")
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, decode)
    .replace(unseen, "")
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    .trim();
  return text.length > most
    ? `${text
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`
    : text;
}

function decode(whole: string, decimal: string | undefined, hex: string | undefined, name = ""): string {
  if (name) return entities.get(name.toLowerCase()) ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
}

const isoDate = /^(\d{4}-\d{2}-\d{2})(?:$|[T ])/;
/** RFC 9110 section 5.6.7, with what is left out by some. */
const httpDate = /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4}\b/;

/** A date as YYYY-MM-DD; undefined for anything that is not plainly one. */
export function isoDateOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 60) return undefined;
  const text = value.trim();
  const iso = isoDate.exec(text)?.[1];
  const at = iso ? Date.parse(`${iso}T00:00:00Z`) : httpDate.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  const date = new Date(at).toISOString().slice(0, 10);
  // The parser moves the 31st of short months on.
  return iso !== undefined && iso !== date ? undefined : date;
}
