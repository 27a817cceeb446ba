import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Far more than is needed, and little enough to be read at once. */
const maxBytes = 1 << 20;

/** The text of a file, or what is wrong with it and where. Rejects with the system's error when it cannot be opened. */
type ReadBytes =
  | { readonly text: string }
  | { readonly problem: string; readonly place: { readonly line: number; readonly column: number } };

/** Reads a policy file whole. Bytes that are no UTF-8 are refused, not replaced: a name with a replaced character names nothing. */
export async function readPolicyBytes(path: string): Promise<ReadBytes> {
  const start = { line: 1, column: 1 };
  // Opening a pipe would wait for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { problem: "is no file. Name a YAML or JSON file.", place: start };
    const problem = "is larger than 1 MiB. Check that it is the right file.";
    if (stats.size > maxBytes) return { problem, place: start };
    return decode(await file.readFile());
  } finally {
    await file.close();
  }
}

function decode(bytes: Buffer): ReadBytes {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return { text: decoder.decode(bytes) };
  } catch {
    const before = bytes.toString("utf8").split("\ufffd")[0] ?? "";
    const lines = before.split("\n");
    const place = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
    return { problem: "it is not UTF-8 here. Save it as UTF-8.", place };
  }
}
