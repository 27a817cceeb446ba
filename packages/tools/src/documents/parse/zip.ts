import { crc32, inflateRawSync } from "node:zlib";
import { UnreadableError } from "./document.ts";

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const stored = 0;
const deflated = 8;
/** Bytes of the end of the directory with its longest comment. */
const longestTail = 65_557;

/** One file of a zip, still packed. */
export interface ZipEntry {
  readonly name: string;
  /** Bytes once unpacked, by the word of the directory. */
  readonly size: number;
  readonly method: number;
  readonly packed: Uint8Array;
}

const broken = () =>
  new UnreadableError("damaged", "The file is a broken archive: its directory does not fit its content. Save or download it again.");

/** The directory of a zip (APPNOTE 4.3), with nothing unpacked. */
export function readDirectory(bytes: Uint8Array): readonly ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const end = findEnd(view);
    const entries: ZipEntry[] = [];
    let at = view.getUint32(end + 16, true);
    for (let count = view.getUint16(end + 10, true); count > 0; count -= 1) {
      if (view.getUint32(at, true) !== entrySignature) throw broken();
      const [packedSize, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
      const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => view.getUint16(at + field, true)) as [
        number,
        number,
        number,
      ];
      if (view.getUint16(at + 8, true) & 1) throw new UnreadableError("encrypted", "The file is encrypted. Remove its password first.");
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
      const local = view.getUint32(at + 42, true);
      if (view.getUint32(local, true) !== localSignature) throw broken();
      const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      const packed = bytes.subarray(begin, begin + packedSize);
      if (packed.length !== packedSize) throw broken();
      entries.push({ name, size, packed, method: view.getUint16(at + 10, true) });
      at += 46 + nameLength + extraLength + commentLength;
    }
    return entries;
  } catch (error) {
    if (error instanceof RangeError) throw broken();
    throw error;
  }
}

function findEnd(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - longestTail); at -= 1)
    if (view.getUint32(at, true) === endSignature) return at;
  throw broken();
}

/**
 * Unpacks entries. Throws `bomb` where they hold more than `most` bytes: by the directory before anything is unpacked, and by what comes out,
 * since a directory may lie.
 */
export function unpack(entries: readonly ZipEntry[], most: number): ReadonlyMap<string, Uint8Array> {
  const bomb = () =>
    new UnreadableError(
      "bomb",
      `The file unpacks to more than ${Math.round(most / 1_000_000)} MB, which no document needs. It was not read.`,
    );
  if (entries.reduce((sum, { size }) => sum + size, 0) > most) throw bomb();
  let room = most;
  const files = new Map<string, Uint8Array>();
  for (const { name, method, packed } of entries) {
    const bytes = method === stored ? packed : inflate(method, packed, { room, bomb });
    room -= bytes.length;
    if (room < 0) throw bomb();
    files.set(name, bytes);
  }
  return files;
}

function inflate(method: number, packed: Uint8Array, { room, bomb }: { readonly room: number; readonly bomb: () => Error }): Uint8Array {
  if (method !== deflated) throw broken();
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, room) });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? bomb() : broken();
  }
}

/** A zip of files as they are, for readers of zips that know no limits. */
export function packStored(files: ReadonlyMap<string, Uint8Array>): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const [name, bytes] of files) {
    const nameBytes = new TextEncoder().encode(name);
    const facts = Buffer.alloc(26);
    // Version 2.0, names in UTF-8, no packing, no time.
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(0x0800, 2);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(bytes.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(nameBytes.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    directory.push(signed(entrySignature), Buffer.from([20, 0]), facts, tail, nameBytes);
    const local = [signed(localSignature), facts, nameBytes, bytes];
    pieces.push(...local);
    at += local.reduce((sum, { length }) => sum + length, 0);
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.size, 4);
  end.writeUInt16LE(files.size, 6);
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    8,
  );
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...pieces, ...directory, signed(endSignature), end]);
}

function signed(signature: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(signature);
  return bytes;
}
