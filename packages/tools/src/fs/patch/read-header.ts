import type { PatchReader } from "./patch-reader.ts";
import { shorten } from "./patch-surroundings.ts";
import { type Names, nameOf, nowhere, splitNames, unquoteName, withoutSides } from "./read-names.ts";

/** What a unified diff says of a file above its hunks. */
export interface FileHeader {
  /** Line of the patch in which it begins, from 1. */
  readonly at: number;
  /** The file before the patch; after it, for one that is new. */
  readonly path: string;
  readonly moveTo?: string | undefined;
  readonly added?: boolean;
  readonly deleted?: boolean;
  readonly oldMode?: string;
  readonly newMode?: string;
  /** Its times tell that there is no file on a side, if its hunks have no line of that side. */
  readonly absent?: "old" | "new" | undefined;
  /** Git names another content before than after, so there have to be hunks. */
  readonly changesContent?: boolean;
}

/** The two lines with the names of the sides. */
export const isFileHeader = (reader: PatchReader, ahead = 0) =>
  reader.peek(ahead)?.startsWith("--- ") === true && reader.peek(ahead + 1)?.startsWith("+++ ") === true;

const gitCommand = "diff --git ";
/** `diff --git a/x b/x`, or the command that GNU diff, Mercurial and CVS write above a header. */
const isCommand = (line: string | undefined) => line?.startsWith("diff -") === true;

/** What Subversion, CVS, quilt and Bazaar write above a header. */
function isAnnouncement(reader: PatchReader, ahead = 0): boolean {
  const line = reader.peek(ahead) ?? "";
  if (/^=== (?:added|removed|modified|renamed) /.test(line)) return true;
  return line.startsWith("Index: ") && reader.peek(ahead + 1)?.startsWith("====") === true;
}

/** Whether a line announces a file above the names of its sides; no line of a hunk does. */
export const isAnnounced = (reader: PatchReader, ahead = 0) => isCommand(reader.peek(ahead)) || isAnnouncement(reader, ahead);

/** Whether a file of a unified diff begins at a line. */
export const isFileStart = (reader: PatchReader, ahead = 0) => isAnnounced(reader, ahead) || isFileHeader(reader, ahead);

type GitLines = Omit<FileHeader, "at" | "path" | "moveTo" | "absent"> & { readonly renamedFrom?: string; readonly renamedTo?: string };

export function readHeader(reader: PatchReader): FileHeader {
  const at = reader.at;
  const announced = readAnnouncement(reader);
  const isTree = isCommand(reader.peek());
  const command = isTree ? reader.take() : "";
  const isGit = command.startsWith(gitCommand);
  const lines = isGit ? readGitLines(reader) : {};
  if (!isGit && !isFileHeader(reader))
    reader.fail(`is above no "---" and "+++", so the change that it announces is not there. Make the patch with "diff -u".`, reader.at - 1);
  const [from, to] = isFileHeader(reader) ? [readSide(reader), readSide(reader)] : [];
  const sides = { from: from?.name, to: to?.name };
  const { renamedFrom, renamedTo, ...known } = lines;
  const path = renamedFrom ?? (isGit ? nameFromGit(command.slice(gitCommand.length), sides) : nameFromSides(sides, isTree));
  if (path === undefined || path === nowhere)
    reader.fail("begins a file and does not name it, or names two. Name it alike on both sides.", at);
  if (announced !== undefined && ![path, sides.from, sides.to].includes(announced))
    reader.fail(`announces "${shorten(announced)}", and the header below it names "${shorten(path)}".`, at);
  const absent = from?.isAbsent ? "old" : to?.isAbsent ? "new" : undefined;
  const isNowhere = { ...(sides.from === nowhere && { added: true }), ...(sides.to === nowhere && { deleted: true }) };
  return { at, path, moveTo: renamedTo, absent, ...known, ...isNowhere };
}

/** The name behind `Index:` or between the quotes of Bazaar. */
function readAnnouncement(reader: PatchReader): string | undefined {
  if (!isAnnouncement(reader)) return undefined;
  const line = reader.peek()!;
  if (line.startsWith("=== renamed ")) reader.fail('moves a file. Move it between "*** Begin Patch" and "*** End Patch".');
  reader.take();
  // Bazaar names the file in quotes, and again below.
  if (!line.startsWith("Index: ")) return undefined;
  while (/^(?:====|RCS file: |retrieving revision )/.test(reader.peek() ?? "")) reader.take();
  return line.slice("Index: ".length).trimEnd();
}

const emptyContents = ["e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"];
const isEmpty = (hash: string) => /^0+$/.test(hash) || emptyContents.some((each) => each.startsWith(hash));

/** Lines that git writes between `diff --git` and `---`. */
const gitLines: readonly (readonly [pattern: RegExp, read: (value: string) => GitLines])[] = [
  [/^old mode (\d+)/, (oldMode) => ({ oldMode })],
  [/^new mode (\d+)/, (newMode) => ({ newMode })],
  [/^new file mode (\d+)/, (newMode) => ({ newMode, added: true })],
  [/^deleted file mode (\d+)/, (oldMode) => ({ oldMode, deleted: true })],
  [/^rename from (.+)/, (name) => ({ renamedFrom: unquoteName(name) })],
  [/^rename to (.+)/, (name) => ({ renamedTo: unquoteName(name) })],
  [/^index (.+)/, readIndex],
  [/^(?:similarity|dissimilarity) index /, () => ({})],
];
const notText = /^(?:GIT binary patch|Binary files? |copy (?:from|to) )/;

function readGitLines(reader: PatchReader): GitLines {
  let read: GitLines = {};
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    if (notText.test(line)) reader.fail(`is no change of a text, which is all that can be applied: ${shorten(line)}`);
    const known = gitLines.find(([pattern]) => pattern.test(line));
    if (!known) break;
    read = { ...read, ...known[1](known[0].exec(line)![1] ?? "") };
    reader.take();
  }
  return read;
}

function readIndex(value: string): GitLines {
  const [, old = "", added = "", oldMode] = /^([0-9a-f]+)\.\.([0-9a-f]+)(?: (\d+))?$/.exec(value) ?? [];
  return { changesContent: old !== added && !(isEmpty(old) && isEmpty(added)), ...(oldMode !== undefined && { oldMode }) };
}

interface Side {
  readonly name: string;
  readonly isAbsent: boolean;
}

/** The name behind `---` or `+++`; a tab and a time or revision may follow. */
function readSide(reader: PatchReader): Side {
  const [name = "", ...labels] = reader.take().slice(4).split("\t");
  return { name: unquoteName(name.trimEnd()), isAbsent: labels.some(tellsAbsence) };
}

/** GNU diff gives a file that is not there the time 0, in the zone of the machine; Subversion calls it so, and of old revision 0. */
function tellsAbsence(label: string): boolean {
  if (/^\((?:nonexistent|revision 0)\)\s*$/.test(label)) return true;
  const [, day, time, hours, minutes] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.0+)? ([+-]\d\d)(\d\d)\s*$/.exec(label) ?? [];
  return day !== undefined && Date.parse(`${day}T${time}${hours}:${minutes}`) === 0;
}

const isNamed = (name: string | undefined): name is string => name !== undefined && name !== nowhere;

/** Git names a file on the line of the command, with both sides also where one of them is nowhere. */
function nameFromGit(text: string, sides: Partial<Names>): string | undefined {
  const known = { ...(isNamed(sides.from) && { from: sides.from }), ...(isNamed(sides.to) && { to: sides.to }) };
  const names = splitNames(text, known);
  if (names === undefined) return nameFromSides(sides, false);
  const name = nameOf(names);
  const agrees = (side: string | undefined, other: string) => side === undefined || side === other || side === name;
  return agrees(known.from, names.from) && agrees(known.to, names.to) ? name : undefined;
}

function nameFromSides({ from, to }: Partial<Names>, isTree: boolean): string | undefined {
  if (!isNamed(from) || !isNamed(to)) return isNamed(to) ? nameOfOne(to, "b/") : isNamed(from) ? nameOfOne(from, "a/") : undefined;
  const plain = withoutSides({ from, to });
  if (plain.from === plain.to) return plain.to;
  const name = plain.from === from ? nameOf({ from, to }, isTree) : undefined;
  if (name !== undefined || isTree) return name;
  // `diff -u x.txt.orig x.txt`: the name that the change ends with.
  return baseOf(plain.from) === baseOf(plain.to) ? undefined : plain.to;
}

const baseOf = (name: string) => name.slice(name.lastIndexOf("/") + 1);

/** Where the other side is nowhere, git's usual letter is a side; its other letters may be folders. */
function nameOfOne(name: string, side: string): string | undefined {
  if (name.startsWith(side)) return name.slice(side.length);
  return /^[ciow]\//.test(name) ? undefined : name;
}
