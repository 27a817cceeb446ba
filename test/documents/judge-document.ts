import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import { documentParser } from "../../packages/tools/src/documents/parse/document-parser.ts";
import { secondReaders } from "./second-readers.ts";
import { Bag, type Found, joinShifted, wordsOf } from "./words.ts";

/** The share of words that may be missing without a note. */
export const mostSilent = 0.02;

/** What came of a document. */
export interface Verdict {
  readonly path: string;
  readonly kind: string;
  /** `agrees`; `told`: words are missing, and a note or a refusal says so; `fails`: too many are missing without a word. */
  readonly is: "agrees" | "told" | "fails";
  /** Words of the second reader. */
  readonly words: number;
  /** Those that ours lacks and no note tells of. */
  readonly silent: readonly string[];
  /** Those that ours lacks, of which a note tells. */
  readonly told: number;
  /** Words that only ours has. */
  readonly extra: readonly string[];
  /** Notes, or the refusal. */
  readonly notes: readonly string[];
}

const sharer = { tenant: "t", person: "user ann" };

/** How a refusal names what the file is, for formats that are not read. */
const refusals: ReadonlyMap<string, RegExp> = new Map([
  ["odt", /is an OpenDocument text \(ODT\): save it as/],
  ["ods", /is an OpenDocument spreadsheet \(ODS\): save its sheets as/],
  ["rtf", /is an RTF document: save it as/],
  ["doc", /is a Word document of before 2007 \(DOC\): save it as/],
  ["xlsx", /is an Excel workbook: save its sheets as/],
  ["pptx", /is a PowerPoint file: save it as/],
  ["epub", /is an EPUB book: save it as/],
]);

const endingOf = (path: string) => extname(path).slice(1).toLowerCase();
export const isJudged = (path: string) => secondReaders.has(endingOf(path)) || refusals.has(endingOf(path));

/** Reads a document as document_read does, and by a second reader. */
export async function judgeDocument(path: string): Promise<Verdict> {
  const kind = endingOf(path);
  const bytes = Uint8Array.from(await readFile(path));
  const signal = new AbortController().signal;
  try {
    const document = await documentParser.parse({ bytes, name: basename(path), images: false, sharer, signal });
    const found = await secondReaders.get(kind)?.(path);
    if (!found) return refused(path, "It is read, and a refusal was expected.");
    return { path, kind, ...compare(document, found) };
  } catch (error) {
    if (error instanceof ToolwrightError) return refused(path, error.message);
    throw error;
  }
}

function refused(path: string, message: string): Verdict {
  const kind = endingOf(path);
  const isTold = refusals.get(kind)?.test(message) === true;
  return { path, kind, is: isTold ? "told" : "fails", words: 0, silent: [], told: 0, extra: [], notes: [message] };
}

interface Read {
  readonly kind: string;
  readonly parts: readonly { readonly text: string }[];
  readonly pagesWithoutText: readonly number[];
  readonly notes: readonly string[];
}

/** Beginnings of notes that tell of words on the pages that they name. */
const onPages = [
  "Characters whose font does not say what they mean",
  "Words of which the PDF keeps a text apart from their glyphs",
  "Buttons whose words are not drawn in the file",
];

/** Numbers of the pages that a note names: `(3: pages 1-2,7)`. */
function pagesOf(note: string): readonly number[] {
  const [, list = ""] = /\bpages? ([\d,-]+)/.exec(note) ?? [];
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** What tells that words of a place are missing. */
function isTold({ notes, pagesWithoutText }: Read, place: string): boolean {
  const says = (start: string) => notes.some((note) => note.startsWith(start));
  if (place === "deleted") return says("Words that a tracked change deleted are left out");
  const [, page] = /^page (\d+)$/.exec(place) ?? [];
  if (page === undefined) return false;
  const names = (start: string) => notes.some((note) => note.startsWith(start) && pagesOf(note).includes(Number(page)));
  return pagesWithoutText.includes(Number(page)) || says("Words are missing: fonts of the PDF") || onPages.some(names);
}

/** Words that each of two readers found, and only one of them. */
export function compare(read: Read, found: readonly Found[]): Omit<Verdict, "path" | "kind"> {
  const ours = new Bag(read.parts.flatMap(({ text }) => wordsOf(read.kind === "pdf" ? joinShifted(text) : text)));
  const silent: string[] = [];
  let [words, told] = [0, 0];
  // What may be missing comes last: it has words that others have, too.
  const inOrder = [...found].sort((a, b) => Number(isTold(read, a.place)) - Number(isTold(read, b.place)));
  for (const { place, text } of inOrder) {
    const theirs = wordsOf(text);
    const missing = ours.take(theirs);
    words += theirs.length;
    if (isTold(read, place)) told += missing.length;
    else silent.push(...missing);
  }
  const is = silent.length > words * mostSilent ? "fails" : told > 0 ? "told" : "agrees";
  return { is, words, silent, told, extra: ours.words, notes: read.notes };
}
