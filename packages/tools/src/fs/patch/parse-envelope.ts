import type { AddedFile, Hunk, PatchedFile, UpdatedFile } from "./patch.ts";
import { type HunkFormat, PatchError, type PatchReader, readHunkHeader, readHunkLines, requireChange } from "./patch-reader.ts";

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

/** Goes to the line after `*** Begin Patch`; false, and nothing is taken, where there is none. */
export function enterEnvelope(reader: PatchReader): boolean {
  for (let ahead = 0, line = reader.peek(); line !== undefined; line = reader.peek(++ahead)) {
    if (line.trim() !== begin) continue;
    for (let taken = 0; taken <= ahead; taken += 1) reader.take();
    return true;
  }
  return false;
}

/** The files between `*** Begin Patch` and `*** End Patch`. */
export function readEnvelope(reader: PatchReader): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  for (let line = reader.peek(); line?.trim() !== end; line = reader.peek()) {
    if (line === undefined) throw new PatchError(`The patch breaks off: "${end}" is missing. Send the whole of it.`);
    if (line.trim() === "") reader.take();
    else files.push(readFile(reader));
  }
  return files;
}

function readFile(reader: PatchReader): PatchedFile {
  const [, kind, name = ""] = header.exec(reader.peek()!) ?? [];
  const path = name.trimEnd();
  if (!kind || path === "")
    reader.fail(
      `is not "*** Add File: PATH", "*** Update File: PATH", "*** Delete File: PATH" or "${end}": ${reader.peek()!.slice(0, 80)}`,
    );
  reader.take();
  if (kind === "Delete") return { kind: "delete", path, hunks: [] };
  return kind === "Add" ? readAdded(reader, path) : readUpdated(reader, path);
}

function readAdded(reader: PatchReader, path: string): AddedFile {
  const lines: string[] = [];
  for (let line = reader.peek(); line?.startsWith("+"); line = reader.peek()) {
    lines.push(`${line.slice(1)}\n`);
    reader.take();
  }
  const after = reader.peek();
  if (after !== undefined && after.trim() !== "" && !after.startsWith("*** "))
    reader.fail('belongs to a new file, so it must begin with "+".');
  return { kind: "add", path, text: lines.join(""), executable: false };
}

function readUpdated(reader: PatchReader, path: string): UpdatedFile {
  const moveTo = move.exec(reader.peek() ?? "")?.[1]?.trimEnd() || undefined;
  if (moveTo !== undefined) reader.take();
  const hunks: Hunk[] = [];
  while (isOfHunk(reader)) hunks.push(readHunk(reader));
  if (hunks.length === 0 && moveTo === undefined)
    throw new PatchError(`The patch changes nothing in "${path}": there is no hunk below its header.`);
  return { kind: "update", path, hunks, ...(moveTo !== undefined && { moveTo }) };
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
