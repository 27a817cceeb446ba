import { isProtectedPath, type PathAccess } from "../targets/path-text.ts";
import { pathFromRoot, pathInOpened, type Word } from "./decode-word.ts";

/** A reason to ask; undefined means that nothing speaks against it. */
export type Objection = string | undefined;

/** Addresses of remotes in it may hold tokens. */
const repositorySettings = /(?:^|\/)\.git\/(?:.*\/)?(?:config(?:\.worktree)?$|[^/]*[*?[])/i;
const harmlessDevices: ReadonlySet<string> = new Set(["-", "/dev/null"]);

/** Judges a word that names a path, by its text: it must stay below the current folder, or the workspace, and name nothing protected. */
export function judgePathWord(word: Word, access: PathAccess): Objection {
  const opened = pathFromRoot(word) === undefined ? pathInOpened(word) : undefined;
  const text = opened?.below ?? pathFromRoot(word) ?? word.text;
  if (harmlessDevices.has(text)) return undefined;
  const shown = JSON.stringify(text);
  if (word.status) return `${shown} holds an exit status, so which file it names is not certain`;
  if (word.tilde || text.startsWith("~")) return `${shown} is in a home folder, outside the workspace`;
  if (opened?.access === "read" && access !== "read")
    return `${JSON.stringify(word.text)} is in a folder that the policy opens for reading only`;
  if (text.startsWith("/")) return `${shown} is an absolute path, which may be outside the workspace`;
  if (text.includes("\n") || text.includes("\\")) return `${shown} is not a plain path`;
  const segments = text.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) return `${shown} climbs out of a folder with ".."`;
  if (word.glob && segments.some((segment) => /^\.[^/]*[*?[]/.test(segment))) return `${shown} can match hidden files`;
  if (access !== "read" && (segments.length === 0 || /^\*+$/.test(segments.join("")))) return `${shown} is the whole folder`;
  const path = segments.join("/");
  // git writes a file of a commit as REVISION:PATH.
  const inCommit = path.slice(path.lastIndexOf(":") + 1);
  if (repositorySettings.test(path)) return `${shown} may hold credentials of the repository's remotes`;
  const isProtected = (from: PathAccess) => isProtectedPath(path, from) || (inCommit !== path && isProtectedPath(inCommit, from));
  if (isProtected("read")) return `${shown} is protected or may hold credentials`;
  if (access !== "read" && isProtected(access)) return `${shown} is protected, or a tool may obey it once somebody opens the folder`;
  return undefined;
}
