import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { type Anchoring, bestAnchoring, enterInside, type OpenFolder, openRoot } from "../files/anchor.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** What stands at a path, no link followed on the way or at the end. */
export type Entry =
  | {
      readonly type: "file";
      readonly content: Buffer;
      /** What changes with the file, when `content` is not all of it. */
      readonly beyond: string | undefined;
      readonly mode: number;
      readonly links: number;
    }
  | { readonly type: "link"; readonly target: string }
  /** `names` is undefined when it may not be listed; what is in it may still be opened by name. */
  | { readonly type: "folder"; readonly names: readonly string[] | undefined }
  | { readonly type: "other" };

const mostBytes = 1024 * 1024;

/**
 * A workspace that is held open. Every path below it is walked by descriptors: the workspace is hostile, and this process may be root.
 * Nothing here throws because of what is, or is not, at a path; undefined stands for nothing there, or no way to it.
 */
export class HeldWorkspace implements Disposable {
  readonly #root: OpenFolder;
  readonly #anchoring: Anchoring = bestAnchoring;

  /** Throws the system's error when the workspace cannot be opened. */
  constructor(workspace: string) {
    this.#root = openRoot(workspace);
  }

  /** Real path. */
  get location(): string {
    return this.#root.location;
  }

  [Symbol.dispose](): void {
    closeSync(this.#root.fd);
  }

  read(path: string): Entry | undefined {
    return this.#at(path, (address) => {
      const stats = lstatSync(address);
      if (stats.isSymbolicLink()) return { type: "link", target: readlinkSync(address) };
      if (stats.isDirectory()) return { type: "folder", names: this.#list(path) };
      return stats.isFile() ? readFile(address) : { type: "other" };
    });
  }

  stat(path: string): BigIntStats | undefined {
    return this.#at(path, (address) => lstatSync(address, { bigint: true }));
  }

  /** Gives an entry another name in its folder. Throws the system's error. */
  rename(path: string, name: string): void {
    const [folder, old] = splitLast(path);
    this.#change(folder, (held) => renameSync(this.#anchoring.entry(held, old), this.#anchoring.entry(held, name)));
  }

  /** Puts a file in place of what is at the path, in one step. Throws the system's error. */
  replace(path: string, content: Buffer, mode: number): void {
    const [folder, name] = splitLast(path);
    this.#change(folder, (held) => {
      const temporary = this.#anchoring.entry(held, `${name}.restored-${process.pid}`);
      const owner = fstatSync(held.fd);
      const file = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        for (let at = 0; at < content.length; ) at += writeSync(file, content, at);
        if (process.getuid?.() === 0) fchownSync(file, owner.uid, owner.gid);
        fchmodSync(file, mode & 0o777);
        renameSync(temporary, this.#anchoring.entry(held, name));
      } catch (error) {
        unlinkSync(temporary);
        throw error;
      } finally {
        closeSync(file);
      }
    });
  }

  #list(path: string): readonly string[] | undefined {
    try {
      return this.#change(path, (held) => readdirSync(this.#anchoring.self(held)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EACCES" || (error as NodeJS.ErrnoException).code === "EPERM") return undefined;
      throw error;
    }
  }

  /** A folder that a run closed for its owner is opened again: what is in it could otherwise be neither seen nor taken away. */
  #change<Result>(path: string, use: (folder: OpenFolder) => Result): Result {
    try {
      return this.#in(path, use);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    }
    return this.#in(path, (held) => {
      const self = this.#anchoring.self(held);
      chmodSync(self, (statSync(self).mode & 0o7777) | 0o700);
      return use(held);
    });
  }

  #at<Result>(path: string, use: (address: string) => Result): Result | undefined {
    const [folder, name] = splitLast(path);
    try {
      return this.#in(folder, (held) => use(this.#anchoring.entry(held, name === "" ? "." : name)));
    } catch {
      return undefined;
    }
  }

  #in<Result>(path: string, use: (folder: OpenFolder) => Result): Result {
    const opened: OpenFolder[] = [];
    try {
      let folder = this.#root;
      for (const part of path === "" ? [] : path.split("/")) {
        folder = enterInside(this.#anchoring, folder, part);
        opened.push(folder);
      }
      return use(folder);
    } finally {
      for (const { fd } of opened) closeSync(fd);
    }
  }
}

function readFile(address: string): Entry {
  const file = openSync(address, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return { type: "other" };
    const content = Buffer.alloc(Math.min(stats.size, mostBytes));
    let length = 0;
    for (let got = 1; got > 0 && length < content.length; length += got)
      got = readSync(file, content, length, content.length - length, length);
    const beyond = stats.size > mostBytes ? `${stats.size} ${stats.ctimeMs}` : undefined;
    return { type: "file", content: content.subarray(0, length), beyond, mode: stats.mode, links: stats.nlink };
  } finally {
    closeSync(file);
  }
}

function splitLast(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf("/");
  return at < 0 ? ["", path] : [path.slice(0, at), path.slice(at + 1)];
}

/** Equal as long as it is the same file or folder: numbers of inodes are given out again, times of birth are not. */
export function identify({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}
