import { ToolwrightError } from "@toolwright/engine";
import { type OpenFolder, openRoot } from "./anchor.ts";
import { explainFileError } from "./file-errors.ts";
import type { Workspace } from "./workspace.ts";

/** Opens the workspace, or throws `workspace_missing`. */
export function openWorkspace({ root }: Workspace): OpenFolder {
  try {
    return openRoot(root);
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code;
    if (errno !== "ENOENT" && errno !== "ENOTDIR") throw explainFileError(error, ".");
    throw new ToolwrightError("workspace_missing", "The workspace folder cannot be opened; create it again or start a new session.", {
      details: { errno },
    });
  }
}

/** The parts of a path that is relative to the workspace or absolute inside it; throws `path_refused` for another. */
export function relativeParts(workspace: Workspace, root: OpenFolder, path: string): string[] {
  const inside = path.startsWith("/") ? stripRoot(workspace, root, path) : path;
  if (inside === undefined)
    throw new ToolwrightError("path_refused", "The absolute path is outside the workspace; give one relative to the workspace.");
  return splitPath(inside);
}

/** The path as it may be shown: what the host calls the workspace is left out. */
export function showPath(workspace: Workspace, root: OpenFolder, path: string): string {
  return (stripRoot(workspace, root, path) ?? path).replace(/^\/+/, "");
}

/** What follows the workspace in an absolute path, or undefined when that is elsewhere. */
export function stripRoot(workspace: Workspace, root: OpenFolder, path: string): string | undefined {
  const prefix = [root.location, workspace.root].find((one) => path === one || path.startsWith(one.endsWith("/") ? one : `${one}/`));
  return prefix === undefined ? undefined : path.slice(prefix.length);
}

/** A trailing slash stays as ".", so that what is before it must be a folder. */
export function splitPath(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return path.endsWith("/") ? [...parts, "."] : parts;
}
