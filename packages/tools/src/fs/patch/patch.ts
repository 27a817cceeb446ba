/** One line of a hunk, without its mark and its line feed. */
export interface HunkLine {
  readonly mark: "keep" | "remove" | "add";
  /** With a carriage return where the patch has one. */
  readonly text: string;
  /** Whether a line feed follows; undefined where the format does not say. */
  readonly ended: boolean | undefined;
}

/** One place of a file that changes. */
export interface Hunk {
  /** Line of the patch in which it begins, from 1. */
  readonly at: number;
  readonly lines: readonly HunkLine[];
  /** Lines of the file that stand somewhere before it, the outermost first. */
  readonly anchors: readonly string[];
  /** Lines of the old file before it, where the patch says so. */
  readonly before: number | undefined;
  /** It ends where the file ends. */
  readonly atEnd: boolean;
}

export interface Named {
  /** Line of the patch in which it begins, from 1. */
  readonly at: number;
  readonly path: string;
}

export interface AddedFile extends Named {
  readonly kind: "add";
  readonly text: string;
  readonly executable: boolean;
}

export interface UpdatedFile extends Named {
  readonly kind: "update";
  readonly hunks: readonly Hunk[];
  readonly moveTo?: string;
  /** Undefined leaves its mode as it is. */
  readonly executable?: boolean;
}

interface DeletedFile extends Named {
  readonly kind: "delete";
  /** All that the file must hold; undefined: anything. */
  readonly hunks?: readonly Hunk[];
}

/** What one place of a patch says of one file. */
export type PatchedFile = AddedFile | UpdatedFile | DeletedFile;

/** All that a patch says of one file, in order: several commits may change it. */
export interface FileHistory {
  /** The file before the patch; where the first step adds it, that one. */
  readonly path: string;
  readonly steps: readonly PatchedFile[];
  /** The file after the patch; undefined for one that is gone. */
  readonly to: string | undefined;
}

export interface Patch {
  readonly files: readonly FileHistory[];
  /** Lines of the patch with hunk headers that count other lines than follow. */
  readonly miscounted: readonly number[];
}

/** What a file must hold for a hunk to fit. */
export const oldLines = ({ lines }: Hunk): readonly HunkLine[] => lines.filter(({ mark }) => mark !== "add");
