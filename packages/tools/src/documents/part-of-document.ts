import type { DocumentPart, ParsedDocument } from "@toolwright/engine/ports";
import { writeSelection } from "./parse/selection.ts";

/** A page, a cell, or the text of a document that has neither. */
interface ShownPart {
  readonly page: number | null;
  readonly cell: number | null;
  readonly text: string;
}

/** What one answer holds. */
interface ShownDocument {
  readonly parts: ShownPart[];
  readonly next: NextPart | null;
  /** Pages or cells that are left whole. */
  readonly left: readonly number[];
}

/** Where to go on: what to pass in the next call. */
export interface NextPart {
  readonly pages: string | null;
  readonly cells: string | null;
  readonly offset: number;
}

interface Asked {
  /** Characters of the first part to pass over. */
  readonly offset: number;
  readonly maxChars: number;
}

type Read = Pick<ParsedDocument, "parts" | "rest" | "pages" | "cells">;

/** As many parts as there is room for, each whole where it fits into an answer, and where to go on. Nothing is lost between two answers. */
export function partOfDocument(document: Read, { offset, maxChars }: Asked): ShownDocument {
  const { rest } = document;
  const parts = wholeParts(document);
  const shown: ShownPart[] = [];
  let room = maxChars;
  for (const [index, part] of parts.entries()) {
    const begin = index === 0 ? Math.min(offset, part.text.length) : 0;
    const left = part.text.length - begin;
    if (left <= room) {
      if (left > 0) shown.push({ ...part, text: part.text.slice(begin) });
      room -= left;
      continue;
    }
    // What an answer can hold whole is in the next one.
    const end = shown.length > 0 && left <= maxChars ? begin : endWithin(part.text, begin, room);
    if (end > begin) shown.push({ ...part, text: part.text.slice(begin, end) });
    const remaining = [...numbersOf(parts.slice(index)), ...rest];
    return { parts: shown, next: nextAt(document, remaining, end), left: end > begin ? remaining.slice(1) : remaining };
  }
  return { parts: shown, next: rest.length > 0 ? nextAt(document, rest, 0) : null, left: rest };
}

/** Sections are one text: nothing names them. */
function wholeParts({ parts }: Read): readonly ShownPart[] {
  if (parts.every(({ page, cell }) => page === undefined && cell === undefined))
    return [{ page: null, cell: null, text: joinSections(parts) }];
  return parts.map(({ page = null, cell = null, text }) => ({ page, cell, text }));
}

/** The text that sections were cut from. */
const joinSections = (parts: readonly DocumentPart[]) => parts.map(({ text }) => text).join("\n");

const numbersOf = (parts: readonly ShownPart[]) => parts.flatMap(({ page, cell }) => page ?? cell ?? []);

function nextAt({ pages, cells }: Read, numbers: readonly number[], offset: number): NextPart {
  const selection = writeSelection(numbers);
  return { pages: pages === undefined ? null : selection, cells: cells === undefined ? null : selection, offset };
}

/** The end of the last line or word that fits, and in any case of a whole character. */
function endWithin(text: string, begin: number, room: number): number {
  const end = begin + room;
  for (const mark of ["\n", " "]) {
    const at = text.lastIndexOf(mark, end - 1);
    if (at > begin + room / 2) return at + 1;
  }
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
