import type { DocumentPart, ParsedDocument, ParseLimits } from "@toolwright/engine/ports";
import { type Detected, detectKind } from "./detect-kind.ts";
import { type ReadRequest, tooLarge, UnreadableError } from "./document.ts";
import type { DocumentNote } from "./document-note.ts";
import { Gathering } from "./gather.ts";
import { readSections, titleOf } from "./read-markdown.ts";
import { readSelection } from "./selection.ts";

export interface ReadingOptions extends ReadRequest {
  readonly limits: ParseLimits;
}

type Facts = Partial<Pick<ParsedDocument, "title" | "pages" | "cells" | "pagesWithoutText" | "rest">>;

/** Reads a document, which takes its bytes. Its time and memory are not bounded here: hostile bytes can cost much of both, so it runs in a worker. Throws UnreadableError. */
export async function readDocument(bytes: Uint8Array, options: ReadingOptions): Promise<ParsedDocument> {
  const { name, limits, enough, images = false } = options;
  if (bytes.length > limits.bytes) throw tooLarge(bytes.length, limits.bytes);
  const into = new Gathering({ images, characters: limits.characters, ...(enough !== undefined && { enough }) });
  const found = await detectKind(options, bytes);
  refuseParts(found, options);
  const facts = await readers[found.kind](found as never, options, into);
  into.close();
  if ("notes" in found) for (const note of found.notes) into.note(note);
  if (isMisnamed(name, found.kind)) {
    const what = `The name ends like another kind of file; the content is ${nameOf(found.kind)} and is read as that`;
    into.note({ what, advice: "Check that it is the file that you mean." });
  }
  const { parts, images: pictures, notes } = into;
  return { kind: found.kind, pagesWithoutText: [], rest: [], ...facts, parts, images: pictures, notes };
}

type TextDocument = Extract<Detected, { readonly text: string }>;
type Reader<Found> = (found: Found, options: ReadingOptions, into: Gathering) => Promise<Facts>;

/** Each loads its library when such a document comes. */
const readers: { readonly [Kind in Detected["kind"]]: Reader<Extract<Detected, { readonly kind: Kind }>> } = {
  async pdf({ bytes }, { pages, limits }, into) {
    const { readPdf } = await import("./read-pdf.ts");
    return readPdf(bytes, { pages, limits, into });
  },
  async docx({ entries }, { limits }, into) {
    const { readDocx } = await import("./read-docx.ts");
    return readDocx(entries, { limits, into });
  },
  async html({ text }, _options, into) {
    const { readWhole } = await import("../../html/readable-page.ts");
    const { title, markdown, isShell } = readWhole(text);
    if (isShell) into.note(shell);
    return addAll(readSections(markdown, { lines: false }), into, title ?? undefined);
  },
  async mail({ bytes }, _options, into) {
    const { readMail } = await import("./read-mail.ts");
    const parts = await readMail(bytes, { into });
    return addAll(parts, into, titleOf(parts));
  },
  async markdown({ text }, _options, into) {
    const parts = readSections(text, { lines: true });
    return addAll(parts, into, titleOf(parts));
  },
  async notebook({ text }, { cells: selection }, into) {
    const { readCells } = await import("./read-notebook.ts");
    const cells = readCells(text);
    const wanted =
      selection === undefined ? cells.map(({ cell }) => cell) : readSelection(selection, { count: cells.length, unit: "cell" });
    let done = 0;
    for (const number of wanted) {
      const found = cells[number - 1];
      if (into.hasEnough || !found) break;
      done += 1;
      const { pictures, ...part } = found;
      into.add(part);
      if (into.wantsImages) for (const picture of pictures) into.show({ cell: number, ...picture });
    }
    const title = titleOf(cells);
    return { cells: cells.length, rest: wanted.slice(done), ...(title !== undefined && { title }) };
  },
  csv: (found, _options, into) => addLines(found, into, { hasHeader: true }),
  text: (found, _options, into) => addLines(found, into, { hasHeader: false }),
};

const shell: DocumentNote = {
  what: "The page holds hardly any words: its scripts make its content, and none was run",
  advice: "Save the page from a browser once it is shown, or open it with browser_open.",
};

async function addLines({ text }: TextDocument, into: Gathering, { hasHeader }: { readonly hasHeader: boolean }): Promise<Facts> {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return addAll([{ headings: [], lines: [1, lines.length], text: lines.join("\n"), ...(hasHeader && { isTable: true }) }], into);
}

function addAll(parts: readonly DocumentPart[], into: Gathering, title?: string): Facts {
  for (const part of parts) into.add(part);
  return title === undefined ? {} : { title };
}

/** Only what has pages is read by pages, and only what has cells by cells. */
function refuseParts({ kind }: Detected, { pages, cells }: ReadRequest): void {
  if (pages !== undefined && kind !== "pdf")
    throw new UnreadableError("no_such_part", `The document is ${nameOf(kind)}, which has no pages. Leave pages out.`);
  if (cells !== undefined && kind !== "notebook")
    throw new UnreadableError("no_such_part", `The document is ${nameOf(kind)}, which has no cells. Leave cells out.`);
}

const names: Readonly<Record<Detected["kind"], string>> = {
  ...{ pdf: "a PDF", docx: "a Word document", html: "HTML", markdown: "Markdown" },
  ...{ text: "plain text", csv: "a CSV table", notebook: "a notebook", mail: "a message" },
};
const nameOf = (kind: Detected["kind"]) => names[kind];

/** Endings that promise another kind than the content is. */
const promised: readonly (readonly [ending: RegExp, kind: Detected["kind"]])[] = [
  [/\.pdf$/i, "pdf"],
  [/\.docx$/i, "docx"],
];

function isMisnamed(name: string, kind: Detected["kind"]): boolean {
  const [, byName] = promised.find(([ending]) => ending.test(name)) ?? [];
  const isPacked = kind === "pdf" || kind === "docx";
  return byName === undefined ? isPacked && /\.[a-z0-9]{1,8}$/i.test(name) : byName !== kind;
}
