import { type Failure, fail } from "@toolwright/engine";
import { joinSteps } from "./join-steps.ts";
import { isEnvelope, readEnvelopes } from "./parse-envelope.ts";
import { readUnified } from "./parse-unified.ts";
import type { FileHistory, Patch } from "./patch.ts";
import { PatchError, PatchReader } from "./patch-reader.ts";

const mostFiles = 100;
const mostLines = 50_000;

/** Reads a patch in either format: between `*** Begin Patch` and `*** End Patch`, or a unified diff. All of it is read, or it is refused. */
export function parsePatch(patch: string): Patch | Failure {
  const reader = new PatchReader(patch);
  if (reader.length > mostLines)
    return fail("patch_too_large", `The patch has ${reader.length} lines, and ${mostLines} are the most in one call. Send it in parts.`);
  try {
    const steps = isEnvelope(reader) ? readEnvelopes(reader) : readUnified(reader);
    return { files: requireFew(joinSteps(steps)), miscounted: reader.miscounted };
  } catch (error) {
    if (error instanceof PatchError) return fail("patch_invalid", `The patch cannot be read. ${error.message}`);
    throw error;
  }
}

function requireFew(files: readonly FileHistory[]): readonly FileHistory[] {
  if (files.length === 0) throw new PatchError("It changes no file.");
  if (files.length <= mostFiles) return files;
  throw new PatchError(`It changes ${files.length} files, and ${mostFiles} are the most in one call. Send it in parts.`);
}
