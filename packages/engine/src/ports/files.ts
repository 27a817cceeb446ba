/** Text of a file, or a part of it. */
export interface TextSlice {
  readonly text: string;
  /** Lines in the whole file. */
  readonly lines: number;
  /** True when the text is not the whole of what was asked for. */
  readonly truncated: boolean;
  /** Changes with the content; pass it to `write` to refuse to overwrite what you have not seen. */
  readonly version: string;
}

export interface FileEntry {
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  readonly kind: "file" | "directory" | "link" | "other";
  /** Bytes; 0 for what is not a file. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

export interface GrepQuery {
  /** Regular expression in Rust syntax (ripgrep). */
  readonly pattern: string;
  /** Take the pattern as plain text. */
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
  /** Folder or file to search in, relative to the workspace. */
  readonly path?: string;
  /** Only files that match this glob. */
  readonly glob?: string;
  /** Lines before and after each match, at most 10. */
  readonly context?: number;
  readonly maxMatches?: number;
}

export interface GrepMatch {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/**
 * The workspace, for reading. Paths are relative to its root, or absolute inside it.
 * *Contract:* nothing outside the workspace is read, whatever links there are and whenever they change;
 * errors are ToolwrightError with `path_refused`, `file_not_found`, `not_a_file`, `file_too_large` or `workspace_missing`, and never hold a host path.
 */
export interface ReadFiles {
  readLines(
    path: string,
    options?: { readonly startLine?: number | null; readonly endLine?: number | null; readonly maxBytes?: number },
  ): Promise<TextSlice>;
  readBytes(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>;
  stat(path: string): Promise<FileEntry>;
  /** Entries below a folder, sorted by path; links are listed, never followed. */
  list(
    path: string,
    options?: { readonly depth?: number; readonly limit?: number },
  ): Promise<{ readonly entries: readonly FileEntry[]; readonly truncated: boolean }>;
  /** Paths of files that match a glob (`*`, `?`, `**`, `{a,b}`), sorted; respects .gitignore. */
  glob(
    pattern: string,
    options?: { readonly path?: string; readonly limit?: number },
  ): Promise<{ readonly paths: readonly string[]; readonly truncated: boolean }>;
  grep(query: GrepQuery): Promise<{ readonly matches: readonly GrepMatch[]; readonly truncated: boolean }>;
}

/** What becomes of one file where several change together. */
export type FileChange =
  /** Refused (`file_exists`) where there is something already. */
  | { readonly kind: "add"; readonly path: string; readonly content: string; readonly executable?: boolean }
  /** Keeps its mode, but for `executable`; `moveTo` is refused (`file_exists`) where there is something already. */
  | {
      readonly kind: "update";
      readonly path: string;
      readonly content: string;
      readonly ifVersion: string;
      readonly moveTo?: string | undefined;
      readonly executable?: boolean | undefined;
    }
  | { readonly kind: "delete"; readonly path: string; readonly ifVersion?: string | undefined };

/** The workspace, for reading and writing. *Contract:* writes are atomic (the file is old or new, never half); protected names are refused. */
export interface Files extends ReadFiles {
  /** Creates missing folders. With `ifVersion` refuses (`file_changed`) when the file is not that version; with `ifMissing` refuses (`file_exists`) when there is one. */
  write(
    path: string,
    content: string | Uint8Array,
    options?: { readonly ifVersion?: string; readonly ifMissing?: boolean },
  ): Promise<{ readonly bytes: number; readonly created: boolean; readonly version: string }>;
  /** Removes a file or link; a folder only when `recursive` is set or it is empty. */
  delete(path: string, options?: { readonly recursive?: boolean }): Promise<{ readonly deleted: number }>;
  /**
   * Changes several files: all of them, or none where one is refused or fails. *Contract:* every new content is whole on the disk before the first
   * file changes, and then all change at once as far as this process goes; one that dies in that moment leaves some old and some new, each whole,
   * and no content lost: what is deleted goes last. Resolves to the versions, in order; undefined for a file that is gone.
   */
  change(changes: readonly FileChange[]): Promise<readonly (string | undefined)[]>;
}
