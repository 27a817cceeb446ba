import { writeSelection } from "./selection.ts";

/** What reading a document lost, changed or guessed, where, how much of it, and what to do about it. */
export interface DocumentNote {
  /** The thing and what became of it, without a full stop: "Formulas are left out". */
  readonly what: string;
  /** How many of those things. */
  readonly count?: number;
  /** Numbers of pages, cells or lines from 1, in their order. */
  readonly pages?: readonly number[];
  readonly cells?: readonly number[];
  readonly lines?: readonly number[];
  /** Names of places or things that have no number, such as fonts and embedded files. */
  readonly names?: readonly string[];
  /** What to do: a whole sentence. */
  readonly advice: string;
}

/** Names that one note holds: a hostile document has thousands. */
const mostNames = 10;
/** Characters of a name or of a list of numbers. */
const longest = 120;

/** Writes a note in the one form that all readers use: `What (count: where). Advice.` */
export function writeNote({ what, count, pages, cells, lines, names = [], advice }: DocumentNote): string {
  const shown = [...new Set(names)].map((name) => shorten(name.replace(/\s+/g, " ").trim())).slice(0, mostNames);
  const more = new Set(names).size - shown.length;
  const where = [
    ...[numbersOf("page", pages), numbersOf("cell", cells), numbersOf("line", lines)],
    [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(", "),
  ].filter((each) => each !== "");
  const facts = [count === undefined ? "" : String(count), where.join("; ")].filter((each) => each !== "").join(": ");
  return `${what}${facts === "" ? "" : ` (${facts})`}. ${advice}`;
}

/** One note of several about the same thing, of which there is at least one. */
export function joinNotes(alike: readonly DocumentNote[]): DocumentNote {
  const [first = { what: "", advice: "" }] = alike;
  const counts = alike.flatMap(({ count }) => (count === undefined ? [] : [count]));
  const all = (member: "pages" | "cells" | "lines") => [...new Set(alike.flatMap((note) => note[member] ?? []))].sort((a, b) => a - b);
  return {
    ...first,
    ...(counts.length > 0 && { count: counts.reduce((sum, count) => sum + count, 0) }),
    ...{ pages: all("pages"), cells: all("cells"), lines: all("lines"), names: alike.flatMap(({ names = [] }) => names) },
  };
}

const numbersOf = (unit: string, numbers: readonly number[] = []) =>
  numbers.length === 0 ? "" : `${numbers.length === 1 ? unit : `${unit}s`} ${shorten(writeSelection(numbers))}`;

const shorten = (text: string) => (text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text);
