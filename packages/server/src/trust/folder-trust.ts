import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { LeftOut } from "@toolwright/engine/ports";
import { oneLine } from "@toolwright/engine/ports";
import type { Admission, FolderTrust } from "../tool-folder/folder-source.ts";
import { type ModuleGuard, sha256Of } from "../tool-folder/module-hooks.ts";
import { isMade, type TrustRecord, type TrustRecords } from "./trust-records.ts";

const remedy = "Look at the files, then run toolwright trust, or name the folder with --tools.";

/** What loads of a folder that nobody named: all of one that toolwright made, what was trusted of another, nothing of any other. */
export function folderTrust(records: TrustRecords): FolderTrust {
  return {
    records: records.folder,
    admit(root, files) {
      const record = records.read(root);
      if (record === undefined) return nothing(files, `${countOf(files)} in ${root} that nobody trusted: ${namesOf(files)}. ${remedy}`);
      return record.made ? admitMade(root, files, record) : admitKnown(root, files, record);
    },
  };
}

function nothing(files: readonly string[], message: string): Admission {
  return { files: [], leftOut: [notTrusted(files, message)] };
}

const notTrusted = (files: readonly string[], message: string): LeftOut => ({
  file: files.join(", "),
  code: "not_trusted",
  message: oneLine(message),
});

function admitMade(root: string, files: readonly string[], record: TrustRecord): Admission {
  if (!isMade(root, record))
    return nothing(
      files,
      `${countOf(files)} in ${root}: ${namesOf(files)}. toolwright made a folder there, and this is another one. ${remedy}`,
    );
  const problem = foreignReason(root);
  if (problem !== undefined) return nothing(files, `${countOf(files)} in ${root}: ${namesOf(files)}. The folder ${problem}`);
  const guard: ModuleGuard = (path) => {
    const reason = foreignReason(path);
    if (reason !== undefined) throw new Error(`${path} ${reason}`);
  };
  return { files, leftOut: [], guard };
}

function admitKnown(root: string, files: readonly string[], record: TrustRecord): Admission {
  const known = new Map(Object.entries(record.files));
  const isKnown = (file: string) => {
    try {
      const path = realpathSync(join(root, file));
      return known.get(path) === sha256Of(readFileSync(path));
    } catch {
      return false;
    }
  };
  const trusted = files.filter(isKnown);
  const others = files.filter((file) => !trusted.includes(file));
  const guard: ModuleGuard = (path, sha) => {
    const before = known.get(path);
    if (before === sha) return;
    const what = before === undefined ? "is not among the files that you trusted" : "changed since you trusted it";
    throw new Error(`${relative(root, path)} ${what}. ${remedy}`);
  };
  const message = `${countOf(others)} in ${root} that changed or came since you trusted it: ${namesOf(others)}. ${remedy}`;
  return { files: trusted, leftOut: others.length > 0 ? [notTrusted(others, message)] : [], guard };
}

/** Why others than this user, root and the owner of this program decide what is there; undefined when they do not. */
export function foreignReason(path: string): string | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  const { uid, mode } = statSync(path);
  if (uid !== user && uid !== 0 && uid !== ownerOfProgram())
    return `belongs to another user (${uid}). Make it yours with chown, or name the folder with --tools.`;
  return (mode & 0o002) === 0 ? undefined : "can be written by every user of this machine. Run chmod o-w, or name the folder with --tools.";
}

/** Whoever can write the program decides what runs anyway, as the owner of a clone that root starts does. */
function ownerOfProgram(): number {
  return statSync(fileURLToPath(import.meta.url)).uid;
}

const countOf = ({ length }: readonly string[]) => (length === 1 ? "1 tool file" : `${length} tool files`);

const mostNamed = 5;

/** Safe on a screen: whoever made the folder chose the names. */
export function namesOf(files: readonly string[]): string {
  const more = files.length - mostNamed;
  const names = files.slice(0, mostNamed).map(oneLine).join(", ");
  return more > 0 ? `${names} and ${more} more` : names;
}
