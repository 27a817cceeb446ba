import type { AddedFile, Hunk, Named, PatchedFile, UpdatedFile } from "./patch.ts";
import { type HunkFormat, PatchError, type PatchReader, readHunkHeader, readHunkLines, requireChange } from "./patch-reader.ts";
import { requireProse } from "./patch-surroundings.ts";
import { isFileStart } from "./read-header.ts";

const begin = "*** Begin Patch";
const end = "*** End Patch";
const endOfFile = "*** End of File";
const header = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const move = /^\*\*\* Move to: (.+)$/;

const format: HunkFormat = {
  endsBefore: (reader) => /^(?:\*\*\* |@@)/.test(reader.peek()!),
  keepsBlankEnd: (reader) => reader.peek()?.trimEnd() === endOfFile,
  ended: undefined,
};

/** Whether `*** Begin Patch` stands above every file of a unified diff, whose lines may hold the same words. */
export function isEnvelope(reader: PatchReader): boolean {
  for (let ahead = 0, line = reader.peek(); line !== undefined && !isFileStart(reader, ahead); line = reader.peek(++ahead))
    if (line.trim() === begin) return true;
  return false;
}

/** The files between each `*** Begin Patch` and its `*** End Patch`; prose may stand around them. */
export function readEnvelopes(reader: PatchReader): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    if (line.trim() === begin) {
      reader.take();
      readEnvelope(reader, files);
    } else {
      if (isFileStart(reader)) reader.fail("begins a unified diff. Send it in a patch of its own.");
      requireProse(reader, "message");
      reader.take();
    }
  }
  return files;
}

function readEnvelope(reader: PatchReader, files: PatchedFile[]): void {
  for (let line = reader.peek(); line?.trim() !== end; line = reader.peek()) {
    if (line === undefined) throw new PatchError(`The patch breaks off: "${end}" is missing. Send the whole of it.`);
    if (line.trim() === "") reader.take();
    else files.push(readFile(reader));
  }
  reader.take();
}

function readFile(reader: PatchReader): PatchedFile {
  const [, kind, name = ""] = header.exec(reader.peek()!) ?? [];
  const path = name.trimEnd();
  if (!kind || path === "")
    reader.fail(
      `is not "*** Add File: PATH", "*** Update File: PATH", "*** Delete File: PATH" or "${end}": ${reader.peek()!.slice(0, 80)}`,
    );
  const named = { at: reader.at, path };
  reader.take();
  if (kind === "Delete") return { kind: "delete", ...named };
  return kind === "Add" ? readAdded(reader, named) : readUpdated(reader, named);
}

function readAdded(reader: PatchReader, named: Named): AddedFile {
  const lines: string[] = [];
  for (let line = reader.peek(); line?.startsWith("+"); line = reader.peek()) {
    lines.push(`${line.slice(1)}\n`);
    reader.take();
  }
  const after = reader.peek();
  if (after !== undefined && after.trim() !== "" && !after.startsWith("*** "))
    reader.fail('belongs to a new file, so it must begin with "+".');
  return { kind: "add", ...named, text: lines.join(""), executable: false };
}

function readUpdated(reader: PatchReader, named: Named): UpdatedFile {
  const moveTo = move.exec(reader.peek() ?? "")?.[1]?.trimEnd() || undefined;
  if (moveTo !== undefined) reader.take();
  const hunks: Hunk[] = [];
  while (isOfHunk(reader)) hunks.push(readHunk(reader));
  if (hunks.length === 0 && moveTo === undefined)
    throw new PatchError(`The patch changes nothing in "${named.path}": there is no hunk below its header.`);
  return { kind: "update", ...named, hunks, ...(moveTo !== undefined && { moveTo }) };
}

const isOfHunk = (reader: PatchReader) => {
  const line = reader.peek();
  return line !== undefined && !line.startsWith("*** ") && (line.trim() !== "" || reader.peek(1)?.startsWith("***") === false);
};

function readHunk(reader: PatchReader): Hunk {
  const at = reader.at;
  const anchors: string[] = [];
  let counts: ReturnType<typeof readHunkHeader>["counts"];
  while (reader.peek()?.startsWith("@@")) {
    const read = readHunkHeader(reader.take());
    if (read.anchor !== undefined) anchors.push(read.anchor);
    counts ??= read.counts;
  }
  // What a model counts is a hint of the place, and no measure of the hunk.
  const lines = readHunkLines(reader, {}, format);
  const atEnd = reader.peek()?.trimEnd() === endOfFile;
  if (atEnd) reader.take();
  return requireChange({ at, lines, anchors, before: counts?.before, atEnd });
}
