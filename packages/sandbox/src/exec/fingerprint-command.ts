import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { type CommandSpec, digest, type Json } from "@toolwright/engine";
import { confineWorkdir, isInside } from "./confine-workdir.ts";
import { wordsOf } from "./words-of-command.ts";

/** Files whose content counts; of further ones it is their size and times. */
const maxFiles = 32;
const maxFileBytes = 8 * 1024 * 1024;
/** Folders that the words of a line may start from: where it runs, and those it names (`cd build && ./run`). */
const maxFolders = 8;

/**
 * What a command line stands for on this machine now: the real folder it runs in, and of each word that names something in the workspace
 * its real path and content. Words are taken from the text alone, so it covers more than programs and scripts. Programs found by PATH are
 * not looked up: PATH never holds the workspace. Never rejects: without a workspace or folder it is "missing".
 */
export async function fingerprintCommand(
  workspaceOf: () => string,
  { command, workdir }: Pick<CommandSpec, "command" | "workdir">,
): Promise<string> {
  try {
    const workspace = workspaceOf();
    const root = await realpath(workspace);
    const folder = join(root, await confineWorkdir(workspace, workdir));
    return digest({ folder, files: await fingerprintWords([root, workspace], folder, command) });
  } catch {
    return "missing";
  }
}

async function fingerprintWords(
  [root, workspace]: readonly [root: string, workspace: string],
  folder: string,
  command: string,
): Promise<Record<string, Json>> {
  const folders = new Set([folder]);
  const seen = new Map<string, string>();
  const named: Record<string, Json> = {};
  for (const word of wordsOf(command))
    for (const path of isAbsolute(word) ? [word] : [...folders].map((base) => `${base}/${word}`)) {
      const real = isInside(root, path) || isInside(workspace, path) ? await realpath(path).catch(() => undefined) : undefined;
      if (real === undefined) continue;
      const content = seen.get(real) ?? (await fingerprintEntry(root, real, seen.size < maxFiles));
      if (content === "folder" && folders.size < maxFolders) folders.add(real);
      if (content !== "folder" && content !== "outside") seen.set(real, content);
      named[path] = [real, content];
    }
  return named;
}

async function fingerprintEntry(root: string, real: string, withContent: boolean): Promise<string> {
  if (!isInside(root, real)) return "outside";
  const entry = await stat(real, { bigint: true }).catch(() => undefined);
  if (!entry) return "gone";
  if (entry.isDirectory()) return "folder";
  const outline = [entry.mode, entry.ino, entry.size, entry.mtimeNs, entry.ctimeNs].join(" ");
  if (!entry.isFile() || entry.size > maxFileBytes || !withContent) return outline;
  return hashFile(real).catch(() => outline);
}

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
