import type { Chunk, DocumentPart } from "@toolwright/engine/ports";
import { cutTable } from "./cut-table.ts";
import { cutText } from "./cut-text.ts";

type CutChunk = Omit<Chunk, "index">;

/**
 * Cuts a document into passages at pages, cells, headings and paragraphs. The passages, with an empty line between two, are the text of the document.
 * *Contract:* takes time that grows with the length alone.
 */
export function* cutChunks(parts: readonly DocumentPart[]): Generator<CutChunk> {
  let from = 0;
  for (const { page, cell, headings, lines, text, isTable } of joinSmall(parts)) {
    for (const piece of isTable ? cutTable(text) : cutText(text)) {
      yield {
        ...{ text: piece.text, headings, from },
        ...(page !== undefined && { page }),
        ...(cell !== undefined && { cell }),
        ...(lines && { lines: [lines[0] + piece.from, lines[0] + piece.to] as const }),
      };
      from += piece.text.length + 2;
    }
  }
}

function* joinSmall(parts: readonly DocumentPart[]): Generator<DocumentPart> {
  let small: DocumentPart | undefined;
  for (const next of parts) {
    const isBelow = small && goesWith(small, next);
    if (small && !isBelow) yield small;
    const part = small && isBelow ? joinParts(small, next) : next;
    small = part.page === undefined && part.cell === undefined && isHeading(part.text) ? part : undefined;
    if (!small) yield part;
  }
  if (small) yield small;
}

/** Headings of both forms (CommonMark 4.2 and 4.3). */
const headings = /^ {0,3}(?:#{1,6}(?:[ \t].*)?|\S.*\n {0,3}(?:=+|-{2,})[ \t]*)$/gm;
/** True for headings without a text of their own, which go with the part below. Where a text stood with them, its citation would name the wrong heading. */
const isHeading = (text: string) => text.replace(headings, "").trim() === "";

function goesWith({ headings, lines }: DocumentPart, next: DocumentPart): boolean {
  const isNear = lines === undefined ? next.lines === undefined : lines[1] + 1 === next.lines?.[0];
  const isOfCells = next.page !== undefined || next.cell !== undefined;
  return isNear && !isOfCells && next.headings.length > headings.length && headings.every((heading, at) => next.headings[at] === heading);
}

function joinParts(above: DocumentPart, { headings, lines, text }: DocumentPart): DocumentPart {
  const all = above.lines && lines && ([above.lines[0], lines[1]] as const);
  return { headings, text: `${above.text}\n${text}`, ...(all && { lines: all }) };
}
