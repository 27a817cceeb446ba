import { fchownSync, fstatSync } from "node:fs";

/**
 * Gives a new entry the owner of the entry it replaces, or of the folder it is in. Only root can do so, and only root needs to:
 * a server that runs as root must not leave files that the workspace's owner cannot change.
 */
export function keepOwner(fd: number, like: number | { readonly uid: number; readonly gid: number }): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = typeof like === "number" ? fstatSync(like) : like;
  fchownSync(fd, uid, gid);
}
