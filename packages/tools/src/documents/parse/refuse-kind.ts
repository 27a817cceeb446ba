import { UnreadableError } from "./document.ts";
import { unpack, type ZipEntry } from "./zip.ts";

const readable = "PDF, Word (.docx), HTML, mail, Markdown, notebooks, CSV and other text can be read.";

/** A refusal that says what the file is and what to do. */
export const refuseKind = (what: string) => new UnreadableError("unknown_kind", `The file is ${what}. ${readable}`);

const asText = "save it as .docx, PDF or text";
const picture = "a picture: look at it with a model that takes images, or add recognised text (OCR)";
const unpackFirst = "an archive: unpack it first and read what is in it";
const recording = "a recording: add its transcript as text";
const program = "a program or library, which holds no document";

/** Kinds by bytes at a place near the beginning, as Latin-1. */
const beginnings: readonly (readonly [at: number, starts: readonly string[], what: string])[] = [
  [0, ["\x89PNG", "\xff\xd8\xff", "GIF8", "BM", "II*\0", "MM\0*", "\0\0\x01\0", "8BPS"], picture],
  [4, ["ftyphei", "ftyphev", "ftypmif", "ftypavif"], picture],
  [8, ["WEBP"], picture],
  [0, ["\x1f\x8b", "BZh", "\xfd7zXZ", "7z\xbc\xaf", "Rar!", "\x28\xb5\x2f\xfd", "\x1f\x9d", "MSCF"], unpackFirst],
  [257, ["ustar"], unpackFirst],
  [0, ["ID3", "OggS", "fLaC", "\x1aE\xdf\xa3", "\xff\xfb", "\xff\xf3", "\xff\xf2"], recording],
  [4, ["ftyp"], recording],
  [8, ["WAVE", "AVI "], recording],
  [0, ["\x7fELF", "MZ", "\xca\xfe\xba\xbe", "\xcf\xfa\xed\xfe", "\0asm"], program],
  [0, ["SQLite format 3"], "an SQLite database: export its tables as CSV"],
  [0, ["PAR1"], "a Parquet table: export it as CSV"],
  [0, ["bplist00"], "a property list or a web archive of Safari: save the page as HTML or PDF"],
  [0, ["\xffWPC"], `a WordPerfect document: ${asText}`],
  [0, ["AT&TFORM"], "a DjVu document: save it as PDF with recognised text (OCR)"],
  [0, ["ITSF"], "a compiled help file (CHM): unpack it first and read its HTML"],
  [60, ["BOOKMOBI", "TEXtREAd"], "a Kindle book: save it as PDF or HTML"],
];

/** Characters that the first bytes of every such file have, and texts that begin with the same letters have not. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const binary = /[\0-\x06\x0e-\x1a\x1c-\x1f]/;

/** Throws `unknown_kind` where the first bytes are those of a file that holds no text of its own. */
export function refuseByStart(start: string): void {
  if (/^\s*\{\\rtf/.test(start)) throw refuseKind(`an RTF document: ${asText}`);
  if (start.startsWith("%!PS")) throw refuseKind("a PostScript document: save it as PDF");
  if (!binary.test(start)) return;
  const [, , what] = beginnings.find(([at, starts]) => starts.some((each) => start.startsWith(each, at))) ?? [];
  if (what !== undefined) throw refuseKind(what);
}

const spreadsheet = "save its sheets as CSV";
const slides = "save it as PDF";

/** Media types that an OpenDocument file or a book names first in its archive. */
const archived: readonly (readonly [type: RegExp, what: string])[] = [
  [/opendocument\.text/, `an OpenDocument text (ODT): ${asText}`],
  [/opendocument\.spreadsheet/, `an OpenDocument spreadsheet (ODS): ${spreadsheet}`],
  [/opendocument\.presentation/, `an OpenDocument presentation (ODP): ${slides}`],
  [/opendocument/, "an OpenDocument file: save it as PDF"],
  [/epub\+zip/, "an EPUB book: save it as PDF or HTML, or unpack it and read its chapters"],
];

/** Kinds by the names of what is in an archive. */
const members: readonly (readonly [name: RegExp, what: string])[] = [
  [/^xl\//, `an Excel workbook: ${spreadsheet}`],
  [/^ppt\//, `a PowerPoint file: ${slides}`],
  [/^visio\//, "a Visio drawing: save it as PDF"],
  [/^(?:FixedDocSeq\.fdseq|_rels\/FixedDoc)/i, "an XPS document: save it as PDF"],
  [/^META-INF\/container\.xml$/, "an EPUB book: save it as PDF or HTML, or unpack it and read its chapters"],
  [/^(?:META-INF\/MANIFEST\.MF|classes\.dex)$/, program],
];

/** iWork by the ending of the name: their archives are alike. */
const iWork: readonly (readonly [name: RegExp, what: string])[] = [
  [/\.numbers$/i, `a Numbers spreadsheet: export it as CSV`],
  [/\.key$/i, "a Keynote presentation: export it as PDF"],
  [/./, "a Pages document or another one of iWork: export it as Word (.docx) or PDF"],
];

export function refuseArchive(entries: readonly ZipEntry[], name: string): UnreadableError {
  const has = (pattern: RegExp) => entries.some((entry) => pattern.test(entry.name));
  const type = entries.find((entry) => entry.name === "mimetype" && entry.size < 200);
  const named = type && new TextDecoder().decode(unpack([type], 200).get("mimetype"));
  const isOfIWork = has(/(?:^|\/)(?:Index\.zip|index\.apxl|index\.xml\.gz|[\w-]+\.iwa)$/);
  const [, what] =
    archived.find(([pattern]) => named !== undefined && pattern.test(named)) ??
    members.find(([pattern]) => has(pattern)) ??
    (isOfIWork ? iWork.find(([pattern]) => pattern.test(name)) : undefined) ??
    [];
  return refuseKind(what ?? unpackFirst);
}

/** Kinds by the names of the streams of a compound file, which Office used before 2007 (MS-CFB 2.6.1). */
const streams: readonly (readonly [name: string, what: string])[] = [
  ["Workbook", `an Excel workbook of before 2007 (XLS): ${spreadsheet}`],
  ["Book", `an Excel workbook of before 2007 (XLS): ${spreadsheet}`],
  ["PowerPoint Document", `a PowerPoint file of before 2007: ${slides}`],
  ["WordDocument", `a Word document of before 2007 (DOC): save it as .docx or PDF`],
  ["__properties_version1.0", "a message of Outlook (MSG): save it as .eml or text"],
  ["VisioDocument", "a Visio drawing: save it as PDF"],
  ["HwpSummaryInformation", "a document of Hangul (HWP): save it as .docx or PDF"],
];

export function refuseCompound(bytes: Uint8Array): UnreadableError {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const holds = (name: string) => whole.includes(Buffer.from(name, "utf16le"));
  if (holds("EncryptedPackage")) return new UnreadableError("encrypted", "The document is encrypted. Save it without a password first.");
  const [, what] = streams.find(([name]) => holds(`${name}\0`)) ?? [];
  return refuseKind(what ?? "an Office document of before 2007: save it as .docx or PDF");
}
