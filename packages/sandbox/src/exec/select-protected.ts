import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * The protected paths that matter in this workspace. A missing file is kept out with a placeholder where its folder is there; placeholders for
 * the inside of a missing `.git` would make one, and `git init` would then fail on it. Where `.git` is a file (a worktree), it is protected itself.
 */
export async function selectProtected(workspace: string, paths: readonly string[]): Promise<readonly string[]> {
  const selected = await Promise.all(
    paths.map(async (path) => {
      const folder = dirname(path);
      const found = await lstat(join(workspace, folder)).catch(() => undefined);
      if (!found) return [];
      return [found.isDirectory() ? path : folder];
    }),
  );
  return [...new Set(selected.flat())];
}
