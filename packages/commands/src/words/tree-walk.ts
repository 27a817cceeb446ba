import type { Word } from "./decode-word.ts";
import type { ScannedArguments } from "./scan-arguments.ts";

/** How a program looks through folders that its words name, or through the one that it runs in. */
export interface TreeWalk {
  /** Where it begins. */
  readonly roots: readonly Word[];
  /** `content`: it prints, or tells about, what files hold. `names`: it prints names and attributes alone. */
  readonly reads: "content" | "names";
  /** It enters folders, and reads files, through links that it meets on the way. */
  readonly follows: boolean;
  /** Links may be among the names that it prints, so that a program that is given them reads through those. */
  readonly listsLinks: boolean;
  /** Names that begin with a dot are looked at too. */
  readonly hidden: boolean;
  /** What `.gitignore` names is left out. */
  readonly ignores: boolean;
  /** Files that git tracks are looked at, and no others. */
  readonly tracked: boolean;
  /** Patterns of names: where there are any, other files are left out. */
  readonly only: readonly string[];
  /** Patterns of names of files that are left out; one with more than a plain name and one `*` leaves out nothing. */
  readonly except: readonly string[];
  /** Patterns of names of folders that are not entered; one with more than a plain name and one `*` leaves out nothing. */
  readonly exceptFolders: readonly string[];
}

/** A walk over all files of a folder, through no links. */
export const wholeTree = {
  ...{ follows: false, listsLinks: false, hidden: true, ignores: false, tracked: false },
  ...{ only: [], except: [], exceptFolders: [] },
} as const satisfies Partial<TreeWalk>;

/** What the arguments of a program say of how it walks; `isFed`: another command writes its input. */
export type ScanWalk = (
  scanned: ScannedArguments,
  place: { readonly paths: readonly Word[]; readonly isFed: boolean },
) => TreeWalk | undefined;
