import type { FileHistory, PatchedFile } from "./patch.ts";
import { PatchError } from "./patch-reader.ts";

interface OpenHistory extends FileHistory {
  steps: PatchedFile[];
  to: string | undefined;
}

/** Joins what a patch says of each file, in its order. Refuses an order that cannot be made of the files as they are, all at once. */
export function joinSteps(steps: readonly PatchedFile[]): readonly FileHistory[] {
  const histories: OpenHistory[] = [];
  /** By the path at which a file is by now. */
  const present = new Map<string, OpenHistory>();
  /** By the path at which there is none any more. */
  const gone = new Map<string, OpenHistory>();
  for (const step of steps) {
    const path = plainPath(step.path);
    const moveTo = step.kind === "update" ? step.moveTo : undefined;
    const moved = moveTo === undefined ? undefined : plainPath(moveTo);
    const known = present.get(path);
    const history = (step.kind === "add" ? addedAgain(step, known, gone.get(path)) : known) ?? {
      path: step.path,
      steps: [],
      to: step.path,
    };
    if (step.kind !== "add" && !known && gone.has(path)) throw refused(step, step.path, "deletes or moves");
    if (moved !== undefined && moved !== path && (present.has(moved) || gone.has(moved))) throw refused(step, moveTo!, "changes");
    if (history.steps.length === 0) histories.push(history);
    history.steps.push(step);
    history.to = step.kind === "delete" ? undefined : (moveTo ?? step.path);
    if (history.to === undefined || moved !== undefined) {
      present.delete(path);
      gone.set(path, history);
    }
    if (history.to !== undefined) {
      gone.delete(moved ?? path);
      present.set(moved ?? path, history);
    }
  }
  return histories;
}

/** A file that was deleted may be there again, if it was nowhere else in between. */
function addedAgain(step: PatchedFile, known: OpenHistory | undefined, gone: OpenHistory | undefined): OpenHistory | undefined {
  if (known || (gone && (gone.to !== undefined || plainPath(gone.path) !== plainPath(step.path))))
    throw refused(step, step.path, known ? "adds or changes" : "moves");
  return gone;
}

function refused(step: PatchedFile, path: string, done: string): PatchError {
  return new PatchError(`Line ${step.at} of the patch changes "${path}", which it ${done} further up. Send it in two parts.`);
}

const plainPath = (path: string) =>
  path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
