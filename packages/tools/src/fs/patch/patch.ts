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

interface Named {
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

export interface DeletedFile extends Named {
  readonly kind: "delete";
  /** What the file must hold; none: anything. */
  readonly hunks: readonly Hunk[];
}

/** What a patch says of one file. */
export type PatchedFile = AddedFile | UpdatedFile | DeletedFile;

export interface Patch {
  readonly files: readonly PatchedFile[];
  /** Lines of the patch with hunk headers that count other lines than follow. */
  readonly miscounted: readonly number[];
}

/** What a file must hold for a hunk to fit. */
export const oldLines = ({ lines }: Hunk): readonly HunkLine[] => lines.filter(({ mark }) => mark !== "add");
