import { join } from "node:path";
import { readInside } from "./read-inside.ts";

/** A file of the index. */
export interface IndexEntry {
  /** Relative to the work tree. */
  readonly path: string;
  readonly size: number;
  /** Hexadecimal name of its content as git stores it. */
  readonly object: string;
}

interface IndexQuery {
  readonly hash: "sha1" | "sha256";
  readonly wants: (path: string) => boolean;
}

const maxIndexBytes = 128 * 1024 * 1024;

/**
 * The files of a repository's index that `wants` names (gitformat-index(5), versions 2 to 4). Undefined for an index that is not plainly of
 * that form or is spread over several files; empty without one.
 */
export function readIndex(root: string, gitFolder: string, query: IndexQuery): readonly IndexEntry[] | undefined {
  const found = readInside(root, join(gitFolder, "index"), maxIndexBytes);
  if (found.kind === "missing") return [];
  if (found.kind !== "file") return undefined;
  try {
    return parseIndex(found.bytes, query);
  } catch {
    return undefined;
  }
}

/** Times, device, inode, mode, owner and size. */
const statBytes = 40;

function parseIndex(bytes: Buffer, { hash, wants }: IndexQuery): readonly IndexEntry[] | undefined {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  const hashBytes = hash === "sha1" ? 20 : 32;
  const fixedBytes = statBytes + hashBytes + 2;
  const entries: IndexEntry[] = [];
  const count = bytes.readUInt32BE(8);
  let at = 12;
  let path = "";
  for (let index = 0; index < count; index++) {
    const start = at;
    const flags = bytes.readUInt16BE(start + fixedBytes - 2);
    const extended = version >= 3 && (flags & 0x4000) !== 0;
    at = start + fixedBytes + (extended ? 2 : 0);
    if (version === 4) {
      const { strip, next } = readStrip(bytes, at);
      const end = bytes.indexOf(0, next);
      path = path.slice(0, path.length - strip) + bytes.toString("latin1", next, end);
      at = end + 1;
    } else {
      const end = bytes.indexOf(0, at);
      path = bytes.toString("latin1", at, end);
      at = start + Math.floor((end - start + 8) / 8) * 8;
    }
    const name = Buffer.from(path, "latin1").toString("utf8");
    if (!wants(name)) continue;
    const object = bytes.toString("hex", start + statBytes, start + statBytes + hashBytes);
    entries.push({ path: name, size: bytes.readUInt32BE(start + 36), object });
  }
  return isWhole(bytes, at, hashBytes) ? entries : undefined;
}

/** The offset encoding of packs: how many bytes of the path before are dropped. */
function readStrip(bytes: Buffer, from: number): { readonly strip: number; readonly next: number } {
  let at = from;
  let byte = bytes.readUInt8(at++);
  let strip = byte & 0x7f;
  while (byte & 0x80) {
    byte = bytes.readUInt8(at++);
    strip = ((strip + 1) << 7) | (byte & 0x7f);
  }
  return { strip, next: at };
}

/** False when an extension says that entries stand elsewhere: `link` (split) or `sdir` (sparse). */
function isWhole(bytes: Buffer, from: number, hashBytes: number): boolean {
  for (let at = from; at + 8 <= bytes.length - hashBytes; at += 8 + bytes.readUInt32BE(at + 4))
    if (/^(?:link|sdir)$/.test(bytes.toString("latin1", at, at + 4))) return false;
  return true;
}
