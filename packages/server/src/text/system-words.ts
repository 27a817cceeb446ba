/** What the operating system, or a library that unpacks, says of a file: for the person who named it. */
const meanings: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file or folder"],
  ["ENOTDIR", "a part of the path is no folder"],
  ["EISDIR", "it is a folder"],
  ["EEXIST", "there is something of that name already"],
  ["EACCES", "this user has no right to it"],
  ["EPERM", "this user has no right to it"],
  ["EROFS", "its disk can only be read"],
  ["ENOSPC", "its disk is full"],
  ["EDQUOT", "this user's share of the disk is used up"],
  ["EMFILE", "this process has too many files open"],
  ["ENFILE", "this machine has too many files open"],
  ["ELOOP", "its path has links that lead in a circle"],
  ["ENAMETOOLONG", "its name is too long"],
  ["EBUSY", "it is in use"],
  ["ETXTBSY", "it is a program that runs"],
  ["EFBIG", "it is larger than its disk allows"],
  ["EIO", "its disk reports an error"],
  ["Z_DATA_ERROR", "it is not packed with gzip, or damaged"],
  ["Z_BUF_ERROR", "it ends too early"],
]);

/** One part of a sentence, with the code that searches find: `there is no such file or folder (ENOENT)`. */
export function describeSystemError(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  const words = typeof code === "string" ? meanings.get(code) : undefined;
  return words === undefined ? (error instanceof Error ? error.message : String(error)) : `${words} (${code})`;
}
