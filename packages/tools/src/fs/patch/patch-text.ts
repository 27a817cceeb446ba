import { type Failure, fail, isFailure } from "@toolwright/engine";
import { type Applied, applyHunks } from "./apply-hunks.ts";
import { type Match, matches, mostSteps } from "./find-hunk.ts";
import type { FileHistory, PatchedFile } from "./patch.ts";

interface PatchedText {
  /** Undefined for a file that is gone. */
  readonly text: string | undefined;
  /** See `Applied`. */
  readonly match: Match | null;
}

/** Characters of a file that cost as much as a line. */
const lineLength = 80;

/** The text that a file has after all steps of a patch; `before` is undefined where there is none. */
export function patchText({ steps }: Pick<FileHistory, "steps">, before: string | undefined): PatchedText | Failure {
  let [text, looked] = [before, 0];
  let match: Match | null = null;
  for (const [index, step] of steps.entries()) {
    // Each further step goes through the file again.
    if (index > 0 && text !== undefined) looked += Math.max(countLines(text), text.length / lineLength);
    if (looked > mostSteps)
      return fail(
        "patch_too_large",
        `The patch changes "${step.path}" in too many places for one call: ${steps.length}. Send it in parts.`,
      );
    const applied = applyStep(step, text, looked);
    if (isFailure(applied)) return applied;
    [text, looked] = [applied.text, applied.steps];
    match = matches.findLast((each) => each === match || each === applied.match) ?? null;
  }
  return { text, match };
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

type AppliedStep = Omit<Applied, "text"> & Pick<PatchedText, "text">;

function applyStep(file: PatchedFile, before: string | undefined, steps: number): AppliedStep | Failure {
  const { kind, path } = file;
  if (kind === "add") {
    if (before === undefined) return { text: file.text, match: null, steps };
    return fail("file_exists", `There is already a file "${path}". Update it, or choose another name.`);
  }
  if (before === undefined) return fail("file_not_found", `There is no file "${path}". List the folder to see what there is.`);
  if (kind === "delete" && file.hunks === undefined) return { text: undefined, match: null, steps };
  const applied = applyHunks(before, file.hunks ?? [], { path, steps });
  if (isFailure(applied)) return applied;
  if (kind === "delete") {
    if (applied.text === "") return { ...applied, text: undefined };
    return fail("text_not_found", `The patch deletes "${path}" and does not hold all of it. Read the file again.`);
  }
  if (applied.text === before && file.moveTo === undefined && file.executable === undefined)
    return fail("no_change", `The patch leaves "${path}" as it is. Take the file out of it.`);
  return applied;
}
