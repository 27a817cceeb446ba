import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A reader sees the old file or the new one, and a full disk leaves the old one. */
export function writeWhole(file: string, content: string | Uint8Array, mode: number): void {
  const part = join(dirname(file), `.${randomUUID()}.part`);
  try {
    writeFileSync(part, content, { flag: "wx", mode, flush: true });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
