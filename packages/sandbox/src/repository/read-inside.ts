import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { bestAnchoring, type OpenFolder, openInside, openRoot } from "../files/anchor.ts";

/** What stands at a path below the workspace. `strange`: a link on the way, no plain file, too large, or not to be read. */
export type Inside = { readonly kind: "file"; readonly bytes: Buffer } | { readonly kind: "folder" | "missing" | "strange" };

const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const strange: Inside = { kind: "strange" };

/** Reads a file below the workspace, following no link on the way to it. */
export function readInside(root: string, path: string, maxBytes: number): Inside {
  return inFolderOf(root, path, strange, (folder, name) => readEntry(folder, name, maxBytes));
}

/** Names in a folder below the workspace; none where there is no plain folder. */
export function listInside(root: string, path: string): readonly string[] {
  return inFolderOf(root, `${path}/.`, [], (folder) => readdirSync(bestAnchoring.self(folder)));
}

function inFolderOf<Result>(root: string, path: string, failed: Result, use: (folder: OpenFolder, name: string) => Result): Result {
  const parts = path.split("/").filter((part) => part !== "");
  const name = parts.pop() ?? ".";
  const open: OpenFolder[] = [];
  try {
    open.push(openRoot(root));
    for (const part of parts) open.push(openInside(bestAnchoring, open.at(-1) as OpenFolder, part));
    return use(open.at(-1) as OpenFolder, name);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isMissing && failed === strange ? ({ kind: "missing" } as Result) : failed;
  } finally {
    for (const { fd } of open) closeSync(fd);
  }
}

function readEntry(folder: OpenFolder, name: string, maxBytes: number): Inside {
  const fd = openSync(bestAnchoring.entry(folder, name), readFlags);
  try {
    const entry = fstatSync(fd);
    if (entry.isDirectory()) return { kind: "folder" };
    if (!entry.isFile() || entry.size > maxBytes) return strange;
    const bytes = readFileSync(fd);
    return bytes.length > maxBytes ? strange : { kind: "file", bytes };
  } finally {
    closeSync(fd);
  }
}
