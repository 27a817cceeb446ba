import { findLines } from "./find-lines.ts";

const longestShown = 200;
const mostCompared = 20_000;
/** Characters that are compared in search of the nearest line. */
const mostLikened = 300_000;

/** Says what of a wanted text a file does hold, so that the next attempt can be exact. */
export function explainMismatch(text: string, wanted: string): string {
  const all = text.split(/\r?\n/);
  const lines = all.slice(0, mostCompared);
  const limit = all.length > lines.length ? ` Only the first ${mostCompared} of its ${all.length} lines were compared.` : "";
  const wantedLines = withoutBlankEnds(wanted.split(/\r?\n/));
  const at = findIgnoringBlanks(lines, wantedLines);
  if (at !== -1) {
    const found = lines.slice(at, at + wantedLines.length).join("\n");
    return `It stands at line ${at + 1} with other blanks. The file has exactly:\n${found}`;
  }
  const present = new Set(lines);
  const told = wantedLines.filter((line) => line.trim() !== "");
  const missing = told.filter((line) => !present.has(line));
  const counted = `${told.length - missing.length} of its ${told.length} lines occur in the file.${limit}`;
  const sought = missing[0];
  if (sought === undefined) return `${counted} They do not follow each other like this; read the file again.`;
  const likened = lines.slice(0, countLikened(lines));
  const skipped = likened.length < lines.length ? ` Only its first ${likened.length} lines were looked at for this.` : "";
  const nearest = findNearest(likened, sought);
  if (nearest.length === 0) return `${counted} Nothing in the file resembles: ${shorten(sought)}${skipped}`;
  const shown = nearest.map(({ line, number }) => `  ${number}: ${shorten(line)}`).join("\n");
  return `${counted} The nearest lines to "${shorten(sought.trim())}" are:\n${shown}${skipped && `\n${skipped.trim()}`}`;
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const hasText = (line: string) => line.trim() !== "";
  return lines.slice(Math.max(0, lines.findIndex(hasText)), lines.findLastIndex(hasText) + 1);
}

const collapse = (line: string) => (hasPlainBlanks(line) ? line : line.trim().replace(/\s+/g, " "));

/** Whether each blank is one space between words of ASCII, as in most lines. */
function hasPlainBlanks(line: string): boolean {
  let isBlank = true;
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || (code === 0x20 && isBlank)) return false;
    isBlank = code === 0x20;
  }
  return !isBlank || line === "";
}

function findIgnoringBlanks(lines: readonly string[], wanted: readonly string[]): number {
  const collapsed = lines.map(collapse);
  const sought = wanted.map(collapse);
  if (sought.every((line) => line === "")) return -1;
  return findLines(collapsed, sought)[0] ?? -1;
}

/** How many of the first lines the search for the nearest one affords. */
function countLikened(lines: readonly string[]): number {
  let left = mostLikened;
  const end = lines.findIndex((line) => {
    left -= Math.min(line.length, longestShown);
    return left < 0;
  });
  return end === -1 ? lines.length : end;
}

function findNearest(lines: readonly string[], wanted: string): { line: string; number: number }[] {
  const likeness = likenessTo(wanted);
  return lines
    .map((line, index) => ({ line, number: index + 1, likeness: likeness(line) }))
    .filter((candidate) => candidate.likeness > 0.4)
    .sort((a, b) => b.likeness - a.likeness || a.number - b.number)
    .slice(0, 3);
}

/** The bits of a number that stand for a pair of characters. Two pairs with the same number count as one. */
const pairMask = 0xffff;

/** Dice's coefficient of the pairs of characters of two lines: 1 for equal ones, 0 for those that share none. */
function likenessTo(wanted: string): (line: string) => number {
  /** For each pair the number of the last line that had it, counted from 1. No line needs a set of its own. */
  const lastLine = new Uint32Array(pairMask + 1);
  const isWanted = new Uint8Array(pairMask + 1);
  let count = 0;
  const countPairs = (line: string) => {
    const text = collapse(line.slice(0, longestShown));
    count += 1;
    let [pairs, common] = [0, 0];
    for (let at = 1; at < text.length; at += 1) {
      const pair = (Math.imul(text.charCodeAt(at - 1), 0x101) + text.charCodeAt(at)) & pairMask;
      if (lastLine[pair] === count) continue;
      lastLine[pair] = count;
      pairs += 1;
      common += isWanted[pair]!;
    }
    return { pairs, common };
  };
  const sought = countPairs(wanted).pairs;
  isWanted.set(lastLine);
  return (line) => {
    const { pairs, common } = countPairs(line);
    return pairs + sought === 0 ? 0 : (2 * common) / (pairs + sought);
  };
}

function shorten(line: string): string {
  return line.length > longestShown ? `${line.slice(0, longestShown)}...` : line;
}
