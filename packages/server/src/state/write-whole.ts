import { randomUUID } from "node:crypto";
import { linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A reader sees the old file or the new one, and a full disk leaves the old one. */
export function writeWhole(file: string, content: string | Uint8Array, mode: number): void {
  writeBeside(file, content, { mode, put: renameSync });
}

/** Writes a file that nobody has written yet; false when there is one. Of several processes at once one writes, and all read it whole. */
export function writeOnce(file: string, content: string | Uint8Array, mode: number): boolean {
  try {
    // A link is there whole or not at all, and never in the place of another file.
    writeBeside(file, content, { mode, put: linkSync });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

interface Putting {
  readonly mode: number;
  /** Puts the whole file, which is in the same folder, in its place. */
  readonly put: (part: string, file: string) => void;
}

function writeBeside(file: string, content: string | Uint8Array, { mode, put }: Putting): void {
  const part = join(dirname(file), `.${randomUUID()}.part`);
  try {
    writeFileSync(part, content, { flag: "wx", mode, flush: true });
    put(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}
