import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolwrightError } from "@toolwright/engine/errors";
import { requireStoreFolder } from "./store-folder.ts";

const mostSocketBytes = 100;

/** In the folder, unless its name is longer than what a unix socket may have (107 bytes). */
export function socketOf(folder: string): string {
  const inside = join(folder, "store.sock");
  if (Buffer.byteLength(inside) <= mostSocketBytes) return inside;
  const user = process.getuid?.() ?? 0;
  const elsewhere = join(tmpdir(), `toolwright-${user}-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`);
  requireStoreFolder(elsewhere);
  const { uid, mode } = lstatSync(elsewhere);
  // Everybody may write to the temporary folder: whoever made this one first could stand in for the store.
  if (uid !== user || (mode & 0o170777) !== 0o040700)
    throw new ToolwrightError(
      "store_failed",
      `The folder ${elsewhere} is not this user's alone. Remove it, or name a shorter folder with TOOLWRIGHT_STATE.`,
    );
  return join(elsewhere, "store.sock");
}
