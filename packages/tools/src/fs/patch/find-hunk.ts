import { findLines } from "../find-lines.ts";
import { type Hunk, type HunkLine, oldLines } from "./patch.ts";

/** How a hunk was found, from strict to lenient: as it is, with other line ends, with other blanks at the ends of lines. */
export const matches = ["exact", "line_ends", "trailing_space"] as const;
export type Match = (typeof matches)[number];

const readAs: Readonly<Record<Match, (line: string) => string>> = {
  exact: (line) => line,
  line_ends: (line) => line.replace(/\r$/, ""),
  trailing_space: (line) => line.trimEnd(),
};

/** Places of each line, in order. */
type LineIndex = ReadonlyMap<string, readonly number[]>;

/** Lines that the hunks of one file may look at. */
export const mostSteps = 500_000;

/** The hunks of a file repeat so much of it that finding their places costs too much. */
export class TooManySteps extends Error {}

/** The lines of a file, without their line feeds. */
export class FileLines {
  readonly lines: readonly string[];
  /** Whether the last one ends with a line feed. */
  readonly ended: boolean;
  /** Lines that were looked at so far. */
  steps: number;
  readonly #read = new Map<Match, readonly string[]>();
  readonly #indexes = new Map<Match | "trimmed", LineIndex>();

  constructor(text: string, steps = 0) {
    this.steps = steps;
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

  /** Where the lines stand that an anchor means: it is a line without its indentation, unless it is given. */
  anchorsAt(anchor: string): readonly number[] {
    return this.#index("trailing_space").get(anchor.trimEnd()) ?? this.#index("trimmed").get(anchor.trim()) ?? [];
  }

  /** Where all the wanted lines stand, one below the other. */
  placesOf(wanted: readonly string[], match: Match): readonly number[] {
    const lines = this.readAs(match);
    const index = this.#index(match);
    this.spend(wanted.length);
    let [rarest, offset] = [index.get(wanted[0]!) ?? [], 0];
    for (const [at, line] of wanted.entries()) {
      const places = index.get(line) ?? [];
      if (places.length < rarest.length) [rarest, offset] = [places, at];
    }
    if (rarest.length * wanted.length > lines.length) {
      this.spend(lines.length);
      return findLines(lines, wanted);
    }
    this.spend(rarest.length * wanted.length);
    return rarest.map((place) => place - offset).filter((place) => wanted.every((line, at) => lines[place + at] === line));
  }

  /** Throws once more lines were looked at than one call affords. */
  spend(lines: number): void {
    this.steps += lines;
    if (this.steps > mostSteps) throw new TooManySteps();
  }

  #index(by: Match | "trimmed"): LineIndex {
    const known = this.#indexes.get(by);
    if (known) return known;
    const index = new Map<string, number[]>();
    const lines = by === "trimmed" ? this.lines.map((line) => line.trim()) : this.readAs(by);
    for (const [place, line] of lines.entries()) {
      const places = index.get(line);
      if (places) places.push(place);
      else index.set(line, [place]);
    }
    this.#indexes.set(by, index);
    return index;
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
  const isAllowed = placeRule(file, { hunk, old, match });
  const { before } = hunk;
  // What the patch says of the place is evidence, as long as it is true.
  if (before !== undefined && isAllowed(before)) {
    file.spend(wanted.length);
    if (wanted.every((line, at) => lines[before + at] === line)) return [before];
  }
  const found = file.placesOf(wanted, match).filter(isAllowed);
  return hunk.anchors.length === 0 ? found : [...nextAfter(file, findAnchors(file, hunk), found)];
}

/** Lines that are added between lines that the patch does not show. */
function findInsertion(file: FileLines, hunk: Hunk): readonly number[] {
  const { length } = file.lines;
  if (hunk.atEnd || length === 0) return [length];
  if (hunk.before !== undefined) return hunk.before <= length ? [hunk.before] : [];
  if (hunk.anchors.length > 0) return Array.from(findAnchors(file, hunk), (anchor) => anchor + 1);
  return Array.from({ length: Math.min(length + 1, mostFits + 1) }, (_, place) => place);
}

/** Numbers of lines, in order. */
type Places = Int32Array | readonly number[];

/** Lines that the last anchor stands at, each below one of those before it. */
export function findAnchors(file: FileLines, { anchors }: Pick<Hunk, "anchors">): Places {
  const [outermost = "", ...inner] = anchors;
  let found: Places = file.anchorsAt(outermost);
  for (const anchor of inner) found = nextAfter(file, found, file.anchorsAt(anchor), 1);
  return found;
}

/** For each start the first place that is so many lines below it, or more; each once. Starts and places are in order, and so is what comes out. */
function nextAfter(file: FileLines, starts: Places, places: readonly number[], below = 0): Places {
  file.spend(starts.length + places.length);
  const found = new Int32Array(Math.min(starts.length, places.length));
  let count = 0;
  let next = 0;
  let last = -1;
  for (let at = 0; at < starts.length; at++) {
    const least = starts[at]! + below;
    while (next < places.length && places[next]! < least) next += 1;
    if (next === places.length) break;
    if (next === last) continue;
    last = next;
    found[count++] = places[next]!;
  }
  return found.subarray(0, count);
}

/** Which places the end of the file leaves a hunk: the last line of a file without a line feed is a line of its own kind. */
function placeRule(
  file: FileLines,
  { hunk, old, match }: { hunk: Hunk; old: readonly HunkLine[]; match: Match },
): (place: number) => boolean {
  const isLast = (place: number) => place + old.length === file.lines.length;
  const ended = old.at(-1)?.ended;
  const isExact = match === "exact" && !file.ended;
  if (match === "exact" && old.some((line, at) => line.ended === false && (at < old.length - 1 || file.ended))) return () => false;
  if (hunk.atEnd || (isExact && ended === false)) return (place) => isLast(place) && !(isExact && ended === true);
  return isExact && ended === true ? (place) => !isLast(place) : () => true;
}
