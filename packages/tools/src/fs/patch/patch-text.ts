import { type Failure, fail, isFailure } from "@toolwright/engine";
import { applyHunks } from "./apply-hunks.ts";
import type { Match } from "./find-hunk.ts";
import type { PatchedFile } from "./patch.ts";

export interface PatchedText {
  /** Undefined for a file that is gone. */
  readonly text: string | undefined;
  /** See `Applied`. */
  readonly match: Match | null;
}

/** The text that a file has after a patch; `before` is undefined where there is none. */
export function patchText(file: PatchedFile, before: string | undefined): PatchedText | Failure {
  const { kind, path } = file;
  if (kind === "add") {
    if (before === undefined) return { text: file.text, match: null };
    return fail("file_exists", `There is already a file "${path}". Update it, or choose another name.`);
  }
  if (before === undefined) return fail("file_not_found", `There is no file "${path}". List the folder to see what there is.`);
  const applied = applyHunks(before, file.hunks, path);
  if (isFailure(applied)) return applied;
  const { text, match } = applied;
  if (kind === "delete") {
    if (match === null || text === "") return { text: undefined, match };
    return fail("text_not_found", `The patch deletes "${path}" and does not hold all of it. Read the file again.`);
  }
  if (text === before && file.moveTo === undefined && file.executable === undefined)
    return fail("no_change", `The patch leaves "${path}" as it is. Take the file out of it.`);
  return applied;
}
