import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

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
  async mark(real: string): Promise<string> {
    const known = this.#marks.get(real);
    if (known !== undefined) return known;
    const entry = await stat(real, { bigint: true }).catch(() => undefined);
    if (!entry) return "gone";
    if (entry.isDirectory()) return "folder";
    const mark = await this.markFile(real, entry);
    this.#marks.set(real, mark);
    return mark;
  }

  /** *Contract:* `entry` is of `real` itself, which is no folder. */
  async markFile(real: string, entry: BigIntStats): Promise<string> {
    if (!entry.isFile() || !this.#takes(entry.size)) return outlineOf(entry);
    const content = await hashFile(real).catch(() => undefined);
    return content === undefined ? outlineOf(entry) : [entry.mode, sharedOf(entry), content].join(" ");
  }

  #takes(size: bigint): boolean {
    if (size > maxFileBytes || this.#files <= 0 || size > this.#bytes) return false;
    this.#files--;
    this.#bytes -= Number(size);
    return true;
  }
}

/** A file by everything but its content. */
export function outlineOf({ mode, dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [mode, dev, ino, size, mtimeNs, ctimeNs].join(" ");
}

/** Which one it is counts where it has other names: what is written into it shows there. */
const sharedOf = ({ nlink, dev, ino }: BigIntStats) => (nlink > 1n ? `${dev}:${ino}` : "");

async function hashFile(path: string): Promise<string> {
  // A link or a pipe may have taken the file's place: the one is not followed, the other not waited for.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    return await hashContent(file);
  } finally {
    await file.close();
  }
}

async function hashContent(file: FileHandle): Promise<string> {
  if (!(await file.stat()).isFile()) throw new TypeError("It is no file any more.");
  const hash = createHash("sha256");
  // The limit also holds for a file that grows while it is read.
  for await (const chunk of file.createReadStream({ start: 0, end: maxFileBytes, autoClose: false })) hash.update(chunk);
  return hash.digest("hex");
}
