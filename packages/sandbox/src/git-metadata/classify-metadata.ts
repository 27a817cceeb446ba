/** Classifies one entry of a folder: a word for what it is, which `Survey.found` repeats, or undefined for what does not matter. */
export type Classify<Kind extends string> = (entry: {
  readonly name: string;
  /** Workspace-relative; "" for the workspace itself. */
  readonly folder: string;
  readonly type: "file" | "folder" | "link" | "other";
  /** Names of all entries of the same folder. */
  readonly siblings: ReadonlySet<string>;
}) => Kind | undefined;

/** `git`: named as git looks for it in every folder. `bare`: its folder has the shape of a repository, and git takes it for one. */
export type MetadataKind = "git" | "bare";

/** The name as the most forgiving file system reads it. */
function fold(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/(?<![. ])[. ]+$/, "");
}

const isGit = (name: string) => name === ".git" || (/^[.g]/i.test(name) && /^(?:\.git|git~\d+)$/.test(fold(name)));

/** What a folder needs to be a repository by itself: `is_git_directory` in git's setup.c. */
export function isRepositoryShape(has: (name: string) => boolean): boolean {
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}

/** Finds git metadata: what git looks for by name, and folders that are repositories by their shape. */
export const classifyMetadata: Classify<MetadataKind> = ({ name, siblings }) => {
  if (isGit(name)) return "git";
  return name === "HEAD" && isRepositoryShape((other) => siblings.has(other)) ? "bare" : undefined;
};
