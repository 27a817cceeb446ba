import { type Failure, fail, isFailure } from "@toolwright/engine";
import { explainMismatch } from "../explain-mismatch.ts";
import { endingOf } from "../replace-text.ts";
import { FileLines, findAnchors, findHunk, type HunkFits, type Match, matches, mostFits, TooManySteps } from "./find-hunk.ts";
import { type Hunk, type HunkLine, oldLines } from "./patch.ts";

export interface Applied {
  readonly text: string;
  /** The most lenient match that a hunk needed; null without hunks. */
  readonly match: Match | null;
  /** Lines that were looked at, with those before. */
  readonly steps: number;
}

export interface Place {
  readonly path: string;
  /** Lines that hunks further up looked at. */
  readonly steps?: number;
}

const mostNamed = 10;
const mostExplained = 3;

/** Changes a text as hunks say: all of them, each at the one place where it fits, in their order. */
export function applyHunks(text: string, hunks: readonly Hunk[], { path, steps = 0 }: Place): Applied | Failure {
  if (hunks.length === 0) return { text, match: null, steps };
  const file = new FileLines(text, steps);
  try {
    return applyTo(file, { text, hunks, path });
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    return fail(
      "patch_too_large",
      `${hunks.length} hunks repeat too many of the ${file.lines.length} lines of "${path}" for one call. Send them in parts, with lines that occur rarely.`,
    );
  }
}

interface FilePatch {
  readonly text: string;
  readonly hunks: readonly Hunk[];
  readonly path: string;
}

function applyTo(file: FileLines, { text, hunks, path }: FilePatch): Applied | Failure {
  const found: HunkFits[] = [];
  const missing: Hunk[] = [];
  for (const hunk of hunks) {
    const places = findHunk(file, hunk);
    if (places) found.push(places);
    else missing.push(hunk);
  }
  if (missing.length > 0) return notFound(missing, { text, file, path });
  const places = choosePlaces(hunks, found, path);
  if (isFailure(places)) return places;
  const placed = hunks.map((hunk, index) => ({ ...hunk, match: found[index]!.match, place: places[index]! }));
  const { steps } = file;
  return {
    text: writeText(text, file, placed),
    steps,
    match: matches.findLast((each) => found.some(({ match }) => match === each)) ?? null,
  };
}

interface Sought {
  readonly text: string;
  readonly file: FileLines;
  readonly path: string;
}

function notFound(hunks: readonly Hunk[], { text, file, path }: Sought): Failure {
  const told = hunks.slice(0, mostExplained).map((hunk) => `In "${path}", ${explainMissing(text, file, hunk)}`);
  const more = hunks.length > told.length ? [`${hunks.length - told.length} more hunks of this file do not fit either.`] : [];
  return fail("text_not_found", [...told, ...more].join("\n"));
}

function explainMissing(text: string, file: FileLines, hunk: Hunk): string {
  const name = `the hunk at line ${hunk.at} of the patch`;
  const old = oldLines(hunk).map((line) => line.text);
  if (hunk.anchors.length > 0 && findAnchors(file, hunk).length === 0)
    return `${name} is to stand below the line ${JSON.stringify(hunk.anchors.join(" @@ "))}, and no line is like it. ${explainMismatch(text, hunk.anchors.at(-1)!)}`;
  if (old.length === 0) return `${name} adds lines after line ${hunk.before}, and the file has ${file.lines.length} lines.`;
  const where = hunk.atEnd ? " at the end of the file" : "";
  return `the lines of ${name} do not occur${where}. ${explainMismatch(text, old.join("\n"))}`;
}

/** The one way to place all hunks one behind the other. It is the only one where the earliest places are the latest, too. */
function choosePlaces(hunks: readonly Hunk[], found: readonly HunkFits[], path: string): readonly number[] | Failure {
  const lengths = hunks.map((hunk) => oldLines(hunk).length);
  const earliest: number[] = [];
  for (const [index, { places }] of found.entries()) {
    const from = index === 0 ? 0 : earliest[index - 1]! + lengths[index - 1]!;
    const place = places.find((each) => each >= from);
    if (place === undefined) return outOfOrder(hunks[index]!, places[0]!, path);
    earliest.push(place);
  }
  const latest: number[] = [];
  for (let index = found.length - 1, until = Number.POSITIVE_INFINITY; index >= 0; index -= 1) {
    const place = found[index]!.places.findLast((each) => each + lengths[index]! <= until)!;
    latest[index] = place;
    until = place;
  }
  const unclear = found.findIndex(({ places }, index) => earliest[index] !== latest[index] || places.length > mostFits);
  if (unclear === -1) return earliest;
  const fitting = found[unclear]!.places.filter((place) => place >= earliest[unclear]! && place <= latest[unclear]!);
  return ambiguous(hunks[unclear]!, fitting, path);
}

function outOfOrder(hunk: Hunk, place: number, path: string): Failure {
  return fail(
    "text_not_found",
    `In "${path}", the hunk at line ${hunk.at} of the patch fits at line ${place + 1}, which is before the end of the hunk above it. ` +
      "Put the hunks in the order of the file, and join those that overlap.",
  );
}

function ambiguous(hunk: Hunk, places: readonly number[], path: string): Failure {
  const name = `In "${path}", the hunk at line ${hunk.at} of the patch`;
  const remedy = "Add lines around it until it fits once, or a line above it after @@.";
  if (oldLines(hunk).length === 0 && hunk.anchors.length === 0)
    return fail("text_not_unique", `${name} adds lines and does not say where. ${remedy} "*** End of File" below it adds them at the end.`);
  const lines = places.map((place) => place + 1);
  const named = `${lines.slice(0, mostNamed).join(", ")}${lines.length > mostNamed ? ", ..." : ""}`;
  return fail("text_not_unique", `${name} fits ${lines.length} times, at lines ${named}. ${remedy}`, { lines: lines.slice(0, mostNamed) });
}

interface Placed extends Hunk {
  readonly match: Match;
  readonly place: number;
}

/** A line with its end. */
interface NewLine {
  readonly text: string;
  readonly end: string;
  /** The patch does not say how it ends, if it is the last: as the last line of the file did. */
  readonly open?: boolean;
}

interface Placed extends Hunk {
  readonly match: Match;
  readonly place: number;
}

function writeText(text: string, file: FileLines, hunks: readonly Placed[]): string {
  const { lines: old, ended } = file;
  const usual = endingOf(text);
  const lines: NewLine[] = [];
  let next = 0;
  const keep = (until: number) => {
    for (; next < until; next += 1) lines.push({ text: old[next]!, end: next < old.length - 1 || ended ? "\n" : "" });
  };
  for (const hunk of hunks) {
    keep(hunk.place);
    // Where lines of the file were found as they are, the patch has its line ends, too.
    const verbatim = hunk.match === "exact" && oldLines(hunk).length > 0 && (ended || next < old.length - 1);
    for (const line of hunk.lines) {
      if (line.mark === "add") lines.push(verbatim ? asGiven(line) : withEnding(line, { usual, match: hunk.match }));
      else if (line.mark === "keep") keep(next + 1);
      else next += 1;
    }
  }
  keep(old.length);
  return joinLines(lines, ended, usual);
}

const asGiven = ({ text, ended }: HunkLine): NewLine => ({ text, end: ended === false ? "" : "\n", open: ended === undefined });

function withEnding(line: HunkLine, { usual, match }: { readonly usual: string; readonly match: Match }): NewLine {
  if (match === "exact" && line.text.endsWith("\r")) return asGiven(line);
  const text = line.text.replace(/\r$/, "");
  return { text, end: match === "exact" && line.ended === false ? "" : usual, open: match !== "exact" || line.ended === undefined };
}

function joinLines(lines: readonly NewLine[], ended: boolean, usual: string): string {
  return lines
    .map(({ text, end, open }, index) => {
      if (index < lines.length - 1) return text + (end || usual);
      return open && !ended ? text.replace(/\r$/, "") : text + end;
    })
    .join("");
}
