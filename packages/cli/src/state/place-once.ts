import { randomBytes } from "node:crypto";
import { link, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolwrightError } from "@toolwright/engine";

/**
 * Puts a file where there is none: of any number of processes exactly one gets true, and the file is there whole or not at all.
 * An exclusive open alone would leave an empty file behind a kill; a link of a finished, synced file does not.
 */
export async function placeOnce(path: string, content: string): Promise<boolean> {
  const folder = dirname(path);
  const draft = `${path}.${randomBytes(8).toString("hex")}.draft`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeSynced(draft, content);
    await link(draft, path);
    await syncFolder(folder);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw asDiskError(error, path);
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeSynced(path: string, content: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes new names in a folder survive a loss of power. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

export function asDiskError(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  return new ToolwrightError(
    "disk_full",
    `The disk is full: ${path} could not be written. Free some space, or set TOOLWRIGHT_STATE to a folder elsewhere.`,
    {
      cause: error,
    },
  );
}
