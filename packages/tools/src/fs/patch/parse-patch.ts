import { type Failure, fail } from "@toolwright/engine";
import { enterEnvelope, readEnvelope } from "./parse-envelope.ts";
import { readUnified } from "./parse-unified.ts";
import type { Patch, PatchedFile } from "./patch.ts";
import { PatchError, PatchReader } from "./patch-reader.ts";

export const mostFiles = 100;
const mostLines = 50_000;

/** Reads a patch in either format: between `*** Begin Patch` and `*** End Patch`, or a unified diff. */
export function parsePatch(patch: string): Patch | Failure {
  const reader = new PatchReader(patch);
  if (reader.length > mostLines)
    return fail("patch_too_large", `The patch has ${reader.length} lines, and ${mostLines} are the most in one call. Send it in parts.`);
  try {
    const files = enterEnvelope(reader) ? readEnvelope(reader) : readUnified(reader);
    requireSeparate(files);
    return { files, miscounted: reader.miscounted };
  } catch (error) {
    if (error instanceof PatchError) return fail("patch_invalid", `The patch cannot be read. ${error.message}`);
    throw error;
  }
}

/** One header a file: the order of two would decide what comes out. */
function requireSeparate(files: readonly PatchedFile[]): void {
  if (files.length === 0) throw new PatchError("It changes no file.");
  if (files.length > mostFiles)
    throw new PatchError(`It changes ${files.length} files, and ${mostFiles} are the most in one call. Send it in parts.`);
  const seen = new Set<string>();
  for (const path of files.flatMap(pathsOf)) {
    const plain = path
      .split("/")
      .filter((part) => part !== "" && part !== ".")
      .join("/");
    if (seen.has(plain)) throw new PatchError(`It names "${path}" more than once. Put all of its hunks below one header.`);
    seen.add(plain);
  }
}

/** The paths that it writes or deletes. */
export function pathsOf(file: PatchedFile): readonly string[] {
  return file.kind === "update" && file.moveTo !== undefined ? [file.path, file.moveTo] : [file.path];
}
