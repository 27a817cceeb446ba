import type { Hunk, HunkLine, PatchedFile } from "./patch.ts";
import { type HunkFormat, PatchError, type PatchReader, readHunkHeader, readHunkLines, requireChange } from "./patch-reader.ts";
import { beginsMessage, isFence, isSignature, requireProse, type Surroundings, shorten } from "./patch-surroundings.ts";
import { type FileHeader, isAnnounced, isFileHeader, isFileStart, readHeader } from "./read-header.ts";

/**
 * The files of a unified diff, as `diff -u`, git, Subversion and Mercurial write it: those of all commits, mails and diffs that follow each other.
 * A line outside them is prose, or the patch is refused.
 */
export function readUnified(reader: PatchReader): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  let where: Surroundings = "before";
  let isFenced = false;
  let isBelowHunk = false;
  let isCounted = true;
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    if (isFileStart(reader)) {
      const miscounted = reader.miscounted.length;
      files.push(readFile(reader, formatIn(reader, isFenced)));
      isCounted = reader.miscounted.length === miscounted;
      isBelowHunk = true;
      where = "after";
      continue;
    }
    // Below hunks whose lines are counted, two hyphens are no removed line.
    const isSigned = isCounted && isSignature(reader);
    const isEnd = line.trim() === "" || isSigned || (isFenced && isFence(line)) || beginsMessage(line);
    where = isSigned ? "message" : requireProse(reader, where);
    if (isBelowHunk && !isEnd) reader.fail(`belongs to no file and to no hunk: ${shorten(line)}`);
    isBelowHunk = false;
    if (isFence(line)) isFenced = !isFenced;
    reader.take();
  }
  if (files.length > 0) return files;
  throw new PatchError('It holds neither "*** Begin Patch" nor the headers of a unified diff ("--- a/PATH", "+++ b/PATH").');
}

const formatIn = (reader: PatchReader, isFenced: boolean): HunkFormat => ({
  endsBefore(_, left) {
    const line = reader.peek()!;
    if (line.startsWith("@@") || isAnnounced(reader) || beginsMessage(line)) return true;
    const isFull = left !== undefined && left.old <= 0 && left.new <= 0;
    if (isFull && (line === "" || isSignature(reader))) return true;
    if (isFenced && isFence(line) && (isFull || left === undefined)) return true;
    // A removed line that begins with "-- " before an added one that begins with "++ " looks like a header, and is counted.
    return isFileHeader(reader) && !(left && left.old > 0 && left.new > 0);
  },
  ended: true,
});

function readFile(reader: PatchReader, format: HunkFormat): PatchedFile {
  const header = readHeader(reader);
  const hunks: Hunk[] = [];
  while (skipToHunk(reader)) hunks.push(readHunk(reader, format));
  return toFile(reader, header, hunks);
}

/** Goes over empty lines to the hunk that follows; false, and nothing is taken, where none does. */
function skipToHunk(reader: PatchReader): boolean {
  let blank = 0;
  while (reader.peek(blank) === "") blank += 1;
  if (!/^@@(?!@)/.test(reader.peek(blank) ?? "")) return false;
  for (; blank > 0; blank -= 1) reader.take();
  return true;
}

function readHunk(reader: PatchReader, format: HunkFormat): Hunk {
  const at = reader.at;
  const read = readHunkHeader(reader.take());
  const lines = readHunkLines(reader, read, format);
  const anchors = read.anchor === undefined ? [] : [read.anchor];
  return requireChange({ at, lines, anchors, before: read.counts?.before, atEnd: false });
}

const modeOf = (mode: string | undefined) => (mode === undefined ? {} : { executable: mode === "100755" });

function toFile(reader: PatchReader, header: FileHeader, hunks: readonly Hunk[]): PatchedFile {
  const { at, path, moveTo, oldMode, newMode, absent } = header;
  for (const mode of [oldMode, newMode]) {
    if (mode !== undefined && !/^100(?:644|755|664)$/.test(mode))
      throw new PatchError(`"${path}" has the mode ${mode} in the patch. Only files are changed, no links and no submodules.`);
  }
  if (hunks.length === 0 && header.changesContent)
    reader.fail(`changes the content of "${path}", and no hunk follows. Send the whole patch.`, at);
  const lines: readonly HunkLine[] = hunks.flatMap((hunk) => hunk.lines);
  if (header.deleted || (absent === "new" && lines.every(({ mark }) => mark === "remove"))) return { kind: "delete", at, path, hunks };
  if (header.added || (absent === "old" && lines.every(({ mark }) => mark === "add")))
    return { kind: "add", at, path, text: textOf(path, lines), executable: newMode === "100755" };
  if (hunks.length === 0 && moveTo === undefined && newMode === undefined) throw new PatchError(`The patch changes nothing in "${path}".`);
  return { kind: "update", at, path, hunks, ...(moveTo !== undefined && { moveTo }), ...modeOf(newMode) };
}

function textOf(path: string, lines: readonly HunkLine[]): string {
  if (lines.some(({ mark }) => mark !== "add"))
    throw new PatchError(`"${path}" is new in the patch, and still has lines that are kept or removed.`);
  return lines.map(({ text, ended }) => (ended === false ? text : `${text}\n`)).join("");
}
