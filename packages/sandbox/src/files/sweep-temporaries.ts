import { lstatSync, unlinkSync } from "node:fs";
import type { OpenFolder } from "./anchor.ts";
import { readNames } from "./list-folder.ts";
import type { Workspace } from "./workspace.ts";

/** The name of the file that a write fills before it renames it: the id behind it is at least 128 random bits. */
export const temporaryName = /^\.toolwright_[A-Za-z0-9_-]{20,64}\.tmp$/;
/** Milliseconds without a write after which nobody is writing it any more: a write takes seconds. */
const abandonedMs = 10 * 60 * 1000;

/**
 * Removes what writes that were killed left in a folder. Whatever has another name, another kind or was written lately stays. Never throws:
 * the write that comes along here is done already. Ages are compared in the file system's own time, by the name of a file just written.
 */
export function sweepTemporaries(workspace: Workspace, folder: OpenFolder, written: string): void {
  const addressOf = (name: string) => workspace.anchoring.entry(folder, name);
  try {
    const names = readNames(workspace, folder).names.filter((name) => temporaryName.test(name));
    if (names.length === 0) return;
    const now = lstatSync(addressOf(written)).mtimeMs;
    for (const name of names) {
      const stats = lstatSync(addressOf(name), { throwIfNoEntry: false });
      if (stats?.isFile() && now - stats.mtimeMs > abandonedMs) unlinkSync(addressOf(name));
    }
  } catch {
    // Another process swept it, or the folder may not be listed: the next write tries again.
  }
}
