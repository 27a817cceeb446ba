import { type Hunk, type HunkLine, oldLines } from "./patch.ts";

/** How a hunk was found, from strict to lenient: as it is, with other line ends, with other blanks at the ends of lines. */
export const matches = ["exact", "line_ends", "trailing_space"] as const;
export type Match = (typeof matches)[number];

const readAs: Readonly<Record<Match, (line: string) => string>> = {
  exact: (line) => line,
  line_ends: (line) => line.replace(/\r$/, ""),
  trailing_space: (line) => line.trimEnd(),
};

/** The lines of a file, without their line feeds. */
export class FileLines {
  readonly lines: readonly string[];
  /** Whether the last one ends with a line feed. */
  readonly ended: boolean;
  readonly #read = new Map<Match, readonly string[]>();

  constructor(text: string) {
    const lines = text.split("\n");
    this.ended = lines.at(-1) === "";
    this.lines = this.ended ? lines.slice(0, -1) : lines;
  }

  /** As a match compares them. */
  readAs(match: Match): readonly string[] {
    const known = this.#read.get(match) ?? this.lines.map(readAs[match]);
    this.#read.set(match, known);
    return known;
  }
}

/** Where a hunk fits: how many lines stand before it. In order; of more than `mostFits` only these. */
export interface HunkFits {
  readonly match: Match;
  readonly places: readonly number[];
}

export const mostFits = 1_000;

/** The places of a hunk by the strictest match that finds one; undefined where none does. */
export function findHunk(file: FileLines, hunk: Hunk): HunkFits | undefined {
  for (const match of matches) {
    const places = findPlaces(file, hunk, match);
    if (places.length > 0) return { match, places };
  }
  return undefined;
}

function findPlaces(file: FileLines, hunk: Hunk, match: Match): readonly number[] {
  const old = oldLines(hunk);
  if (old.length === 0) return findInsertion(file, hunk);
  const lines = file.readAs(match);
  const wanted = old.map(({ text }) => readAs[match](text));
  const fits = (place: number) =>
    (!hunk.atEnd || place + wanted.length === lines.length) && (match !== "exact" || agreesAtEnd(file, old, place));
  const { before } = hunk;
  // What the patch says of the place is evidence, as long as it is true.
  if (before !== undefined && fits(before) && wanted.every((line, at) => lines[before + at] === line)) return [before];
  const found = search(lines, wanted).filter(fits);
  if (hunk.anchors.length === 0) return found;
  const first = findAnchors(file, hunk).map((anchor) => found.find((place) => place >= anchor));
  return [...new Set(first.filter((place) => place !== undefined))].sort((a, b) => a - b);
}

/** Lines that are added between lines that the patch does not show. */
function findInsertion(file: FileLines, hunk: Hunk): readonly number[] {
  const { length } = file.lines;
  if (hunk.atEnd || length === 0) return [length];
  if (hunk.before !== undefined) return hunk.before <= length ? [hunk.before] : [];
  if (hunk.anchors.length > 0) return findAnchors(file, hunk).map((anchor) => anchor + 1);
  return Array.from({ length: Math.min(length + 1, mostFits + 1) }, (_, place) => place);
}

/** Lines that the last anchor stands at, each below one of those before it. */
export function findAnchors({ lines }: FileLines, { anchors }: Pick<Hunk, "anchors">): readonly number[] {
  const [outermost = "", ...inner] = anchors;
  let found = standsAt(lines, outermost);
  for (const anchor of inner) {
    const places = standsAt(lines, anchor);
    const below = found.map((above) => places.find((place) => place > above)).filter((place) => place !== undefined);
    found = [...new Set(below)];
  }
  return found;
}

/** An anchor is a line without its indentation, unless it is given. */
function standsAt(lines: readonly string[], anchor: string): readonly number[] {
  const where = (read: (line: string) => string) => lines.flatMap((line, at) => (read(line) === read(anchor) ? [at] : []));
  const exact = where((line) => line.trimEnd());
  return exact.length > 0 ? exact : where((line) => line.trim());
}

/** The end of a file without a line feed is a line of its own kind. */
function agreesAtEnd({ lines, ended }: FileLines, old: readonly HunkLine[], place: number): boolean {
  return old.every(({ ended: said }, at) => said === undefined || said === (place + at < lines.length - 1 || ended));
}

/** Knuth, Morris and Pratt: however much the lines repeat, each is looked at twice at most. */
function search(lines: readonly string[], wanted: readonly string[]): number[] {
  const fallback = [0];
  for (let at = 1, length = 0; at < wanted.length; at += 1) {
    while (length > 0 && wanted[at] !== wanted[length]) length = fallback[length - 1]!;
    if (wanted[at] === wanted[length]) length += 1;
    fallback.push(length);
  }
  const found: number[] = [];
  for (let at = 0, length = 0; at < lines.length; at += 1) {
    while (length > 0 && lines[at] !== wanted[length]) length = fallback[length - 1]!;
    if (lines[at] === wanted[length]) length += 1;
    if (length < wanted.length) continue;
    found.push(at - length + 1);
    length = fallback[length - 1]!;
  }
  return found;
}
