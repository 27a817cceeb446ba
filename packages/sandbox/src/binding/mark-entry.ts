import { createHash } from "node:crypto";
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";

/** Files whose content counts; of further ones it is their size and times. */
const maxFiles = 2000;
const maxFileBytes = 8 * 1024 * 1024;
const maxBytes = 64 * 1024 * 1024;

/** Marks files by what they hold, within what a person does not wait for. */
export class FileMarker {
  readonly #marks = new Map<string, string>();
  #files = maxFiles;
  #bytes = maxBytes;

  /** A mark of what lies at a real path; "folder", or "gone". Never rejects. */
  mark(real: string): string {
    const known = this.#marks.get(real);
    if (known !== undefined) return known;
    const entry = lookAt(real);
    if (!entry) return "gone";
    if (entry.isDirectory()) return "folder";
    const mark = this.markFile(real, entry);
    this.#marks.set(real, mark);
    return mark;
  }

  /** *Contract:* `entry` is of `real` itself, which is no folder. */
  markFile(real: string, entry: BigIntStats): string {
    if (!entry.isFile() || !this.#takes(entry.size)) return outlineOf(entry);
    try {
      return [entry.mode, sharedOf(entry), hashFile(real)].join(" ");
    } catch {
      return outlineOf(entry);
    }
  }

  #takes(size: bigint): boolean {
    if (size > maxFileBytes || this.#files <= 0 || size > this.#bytes) return false;
    this.#files--;
    this.#bytes -= Number(size);
    return true;
  }
}

function lookAt(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

/** A file by everything but its content. */
export function outlineOf({ mode, dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [mode, dev, ino, size, mtimeNs, ctimeNs].join(" ");
}

/** Which one it is counts where it has other names: what is written into it shows there. */
const sharedOf = ({ nlink, dev, ino }: BigIntStats) => (nlink > 1n ? `${dev}:${ino}` : "");

/** Synchronous, within the size that is looked at: a turn through the thread pool takes longer than to read a usual file. */
function hashFile(path: string): string {
  // A link or a pipe may have taken the file's place: the one is not followed, the other not waited for.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(file).isFile()) throw new TypeError("It is no file any more.");
    const hash = createHash("sha256");
    // The limit also holds for a file that grows while it is read.
    for (let left = maxFileBytes; left > 0; ) {
      const read = readSync(file, chunk, 0, Math.min(left, chunk.length), null);
      if (read === 0) break;
      hash.update(chunk.subarray(0, read));
      left -= read;
    }
    return hash.digest("hex");
  } finally {
    closeSync(file);
  }
}

const chunk = Buffer.alloc(256 * 1024);
