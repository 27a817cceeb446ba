import type { Hunk, HunkLine, PatchedFile } from "./patch.ts";
import { type HunkFormat, PatchError, type PatchReader, readHunkHeader, readHunkLines, requireChange } from "./patch-reader.ts";
import { readNames, unquoteName } from "./read-names.ts";

const nowhere = "/dev/null";
const isFileHeader = (reader: PatchReader, ahead = 0) =>
  reader.peek(ahead)?.startsWith("--- ") === true && reader.peek(ahead + 1)?.startsWith("+++ ") === true;

const format: HunkFormat = {
  endsBefore(reader, left) {
    if (/^(?:@@|diff --git )/.test(reader.peek()!)) return true;
    if (!isFileHeader(reader)) return false;
    // A removed line that begins with "-- " before an added one that begins with "++ " looks like a header, and is counted.
    return !(left && left.old > 0 && left.new > 0);
  },
  ended: true,
};

/** The files of a unified diff, as `diff -u` and `git diff` write it; what stands before the first header is no part of it. */
export function readUnified(reader: PatchReader): readonly PatchedFile[] {
  while (reader.peek() !== undefined && !isStart(reader)) reader.take();
  if (reader.peek() === undefined)
    throw new PatchError('It holds neither "*** Begin Patch" nor the headers of a unified diff ("--- a/PATH", "+++ b/PATH").');
  const files: PatchedFile[] = [];
  while (reader.peek() !== undefined) {
    const line = reader.peek()!;
    // The signature that `git format-patch` writes below a patch.
    if (line === "-- ") break;
    if (line.trim() === "") reader.take();
    else if (isStart(reader)) files.push(readFile(reader));
    else reader.fail(`belongs to no file and to no hunk: ${line.slice(0, 80)}`);
  }
  return files;
}

const isStart = (reader: PatchReader) => reader.peek()!.startsWith("diff --git ") || isFileHeader(reader);

interface Header {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly renamedFrom?: string;
  readonly renamedTo?: string;
  readonly oldMode?: string;
  readonly newMode?: string;
  readonly added?: boolean;
  readonly deleted?: boolean;
}

/** Lines that git writes between `diff --git` and `---`. */
const extended: readonly (readonly [pattern: RegExp, read: (value: string) => Header])[] = [
  [/^old mode (\d+)/, (oldMode) => ({ oldMode })],
  [/^new mode (\d+)/, (newMode) => ({ newMode })],
  [/^new file mode (\d+)/, (newMode) => ({ newMode, added: true })],
  [/^deleted file mode (\d+)/, (oldMode) => ({ oldMode, deleted: true })],
  [/^rename from (.+)/, (name) => ({ renamedFrom: unquoteName(name) })],
  [/^rename to (.+)/, (name) => ({ renamedTo: unquoteName(name) })],
  [/^(?:similarity|dissimilarity) index |^index /, () => ({})],
];
const notText = /^(?:GIT binary patch|Binary files |copy (?:from|to) )/;

function readFile(reader: PatchReader): PatchedFile {
  const at = reader.at;
  const header = { ...readGitHeader(reader), ...readFileHeader(reader) };
  const hunks: Hunk[] = [];
  while (reader.peek()?.startsWith("@@")) hunks.push(readHunk(reader));
  return toFile(header, hunks, at);
}

function readGitHeader(reader: PatchReader): Header {
  const names = /^diff --git (.+)/.exec(reader.peek()!)?.[1];
  if (names === undefined) return {};
  reader.take();
  let header: Header = readNames(names);
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    if (notText.test(line)) reader.fail(`is no change of a text, which is all that can be applied: ${line.slice(0, 80)}`);
    const known = extended.find(([pattern]) => pattern.test(line));
    if (!known) break;
    header = { ...header, ...known[1](known[0].exec(line)![1] ?? "") };
    reader.take();
  }
  return header;
}

function readFileHeader(reader: PatchReader): Header {
  if (!isFileHeader(reader)) return {};
  const readName = () => unquoteName(reader.take().slice(4).split("\t", 1)[0]!.trimEnd());
  const [from, to] = [readName(), readName()];
  return { ...withoutSides(from, to), ...(from === nowhere && { added: true }), ...(to === nowhere && { deleted: true }) };
}

function readHunk(reader: PatchReader): Hunk {
  const at = reader.at;
  const read = readHunkHeader(reader.take());
  const lines = readHunkLines(reader, read, format);
  const anchors = read.anchor === undefined ? [] : [read.anchor];
  return requireChange({ at, lines, anchors, before: read.counts?.before, atEnd: false });
}

/** `a/` and `b/` are git's names of the two sides, where both are there. */
function withoutSides(from: string, to: string): Header {
  const isSide = (name: string, side: string) => name === nowhere || name.startsWith(side);
  const strip = (name: string) => (name === nowhere ? name : name.slice(2));
  return isSide(from, "a/") && isSide(to, "b/") ? { from: strip(from), to: strip(to) } : { from, to };
}

const modeOf = (mode: string | undefined) => (mode === undefined ? {} : { executable: mode === "100755" });

function toFile(header: Header, hunks: readonly Hunk[], at: number): PatchedFile {
  const { from, to, renamedFrom, renamedTo, oldMode, newMode, added, deleted } = header;
  const path = renamedFrom ?? (deleted ? from : to);
  if (path === undefined || path === nowhere) throw new PatchError(`Line ${at} of the patch begins a file and does not name it.`);
  for (const mode of [oldMode, newMode]) {
    if (mode !== undefined && !/^100(?:644|755|664)$/.test(mode))
      throw new PatchError(`"${path}" has the mode ${mode} in the patch. Only files are changed, no links and no submodules.`);
  }
  if (deleted) return { kind: "delete", path, hunks };
  if (added) return { kind: "add", path, text: textOf(path, hunks), executable: newMode === "100755" };
  if (hunks.length === 0 && renamedTo === undefined && newMode === undefined)
    throw new PatchError(`The patch changes nothing in "${path}".`);
  return { kind: "update", path, hunks, ...(renamedTo !== undefined && { moveTo: renamedTo }), ...modeOf(newMode) };
}

function textOf(path: string, hunks: readonly Hunk[]): string {
  const lines: readonly HunkLine[] = hunks.flatMap((hunk) => hunk.lines);
  if (lines.some(({ mark }) => mark !== "add"))
    throw new PatchError(`"${path}" is new in the patch, and still has lines that are kept or removed.`);
  return lines.map(({ text, ended }) => (ended === false ? text : `${text}\n`)).join("");
}
