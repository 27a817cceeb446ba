import { judgePathText, quotePath } from "@toolwright/commands/targets";
import { type ErrorCode, ToolwrightError } from "@toolwright/engine";

const meanings = new Map<string, readonly [ErrorCode, string]>([
  ["ENOENT", ["file_not_found", "does not exist; list the folder to see what there is"]],
  ["ENOTDIR", ["not_a_file", "names a path inside something that is not a folder; list the folder above it"]],
  ["EISDIR", ["not_a_file", "is a folder; name a file in it"]],
  ["ENOTEMPTY", ["not_a_file", "is a folder that is not empty; delete it with `recursive`"]],
  ["ELOOP", ["path_refused", "is a link that was put there meanwhile; try again"]],
  ["ENXIO", ["path_refused", "is not a regular file; name one"]],
  ["ENODEV", ["path_refused", "is not a regular file; name one"]],
  ["ENAMETOOLONG", ["path_refused", "has a part that the file system finds too long; shorten it"]],
  ["EILSEQ", ["path_refused", "has a name that the file system cannot hold; choose another"]],
  ["EINVAL", ["path_refused", "has a name that the file system cannot hold; choose another"]],
  ["EEXIST", ["file_exists", "exists already; choose another name"]],
  ["EACCES", ["path_refused", "is not permitted by the operating system; ask the operator to change its permissions"]],
  ["EPERM", ["path_refused", "is not permitted by the operating system; ask the operator to change its permissions"]],
  ["EROFS", ["path_refused", "is on a read-only file system; write elsewhere"]],
  ["EBUSY", ["path_refused", "is in use by the operating system; choose another"]],
  ["EFBIG", ["file_too_large", "would be larger than the system permits; write less"]],
  ["ENOSPC", ["disk_full", "cannot be written because the disk is full; delete something first"]],
  ["EDQUOT", ["disk_full", "cannot be written because the disk quota is used up; delete something first"]],
]);

/**
 * Turns what the file system threw into an error of ours that speaks of the path in the workspace. The system's own error holds
 * host paths, so neither its text nor the error itself is kept, only its code.
 */
export function explainFileError(error: unknown, path: string): unknown {
  const errno = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  if (ToolwrightError.is(error) || typeof errno !== "string" || !("syscall" in (error as object))) return error;
  const [code, meaning] = meanings.get(errno) ?? ["internal", `failed with the system error ${errno}; try again or ask the operator`];
  return new ToolwrightError(code, `${quotePath(path || ".")} ${meaning}.`, { details: { errno } });
}

/**
 * Makes the error for a path where nothing is. A name that could not be created either, because other systems read it as another one
 * (`a.txt:stream`, `.. `), is refused for that: to look for it again would be in vain.
 */
export function reportMissing(path: string, sentence: string): ToolwrightError {
  const creatable = judgePathText(path || ".", "write");
  if (creatable.ok) return new ToolwrightError("file_not_found", sentence);
  return new ToolwrightError("path_refused", `${sentence} ${creatable.reason}`);
}

/** Makes the refusal of a path. `problem` continues the sentence that begins with the path. */
export function refusePath(path: string, problem: string): ToolwrightError {
  return new ToolwrightError("path_refused", `${quotePath(path || ".")} ${problem}.`);
}
