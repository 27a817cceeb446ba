import { realpathSync } from "node:fs";
import { findInnermost } from "@toolwright/commands/targets";
import { ToolwrightError } from "@toolwright/engine";
import type { FileChange, PathRoot, PathRules } from "@toolwright/engine/ports";
import { isInside } from "../exec/confine-workdir.ts";
import type { Workspace } from "./workspace.ts";

/**
 * The folders that the policy opens beside a workspace. One inside it is the workspace's. Throws `path_refused` for one that holds the workspace: it
 * would open those of everybody else.
 */
export function openedBeside(workspace: string, { roots = [] }: PathRules): readonly PathRoot[] {
  if (roots.length === 0) return roots;
  const own = realPlace(workspace);
  return roots.filter(({ path }) => {
    const real = realPlace(path);
    if (isInside(real, own))
      throw new ToolwrightError(
        "path_refused",
        `The policy opens ${JSON.stringify(path)} in paths.roots, and workspaces lie in it. Name folders there that hold none.`,
      );
    return !isInside(own, real);
  });
}

function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The innermost of the folders that the policy opens and that hold an absolute path; undefined for a path of the workspace. */
export function findOpened(workspace: string, rules: PathRules | undefined, path: string): PathRoot | undefined {
  if (!rules?.roots?.length || typeof path !== "string" || !path.startsWith("/")) return undefined;
  return findInnermost(path, openedBeside(workspace, rules));
}

type Show = <Named extends { readonly path: string }>(named: Named) => Named;

/** The workspace of a call and the folders beside it: each path is opened in the one that holds it, and confined to that. */
export class OpenedFolders {
  readonly #workspace: Workspace;
  readonly #rules: PathRules;

  constructor(workspace: Workspace, rules: PathRules) {
    this.#workspace = workspace;
    this.#rules = rules;
  }

  /** The place that holds a path, as a workspace of its own. */
  of(path: string): Workspace {
    const workspace = this.#workspace;
    const found = findOpened(workspace.root, this.#rules, path);
    if (!found) return workspace;
    const mayTouch: Workspace["mayTouch"] = (below, access) =>
      workspace.mayTouch(isInside(found.path, below) ? below : `${found.path}/${below}`, access);
    return { ...workspace, root: found.path, opened: found.access, mayTouch };
  }

  /** Acts in the place that holds a path. What it names is shown by absolute paths where that is not the workspace. */
  async at<Result>(path: string, act: (place: Workspace, show: Show) => Promise<Result>): Promise<Result> {
    const place = this.of(path);
    try {
      if (!place.opened) return await act(place, (named) => named);
      return await act(place, (named) => ({ ...named, path: named.path === "." ? place.root : `${place.root}/${named.path}` }));
    } catch (error) {
      if (!ToolwrightError.is(error)) throw error;
      if (!place.opened) throw this.#nameOpened(path, error);
      const missing = error.code === "workspace_missing";
      const message = missing ? `The folder ${place.root}, which the policy opens, is not there.` : `In ${place.root}: ${error.message}`;
      throw new ToolwrightError(missing ? "file_not_found" : error.code, message, { details: error.details, cause: error });
    }
  }

  /** To who names a path that lies nowhere: the folders that there are beside the workspace. */
  #nameOpened(path: string, error: ToolwrightError): ToolwrightError {
    const { roots = [] } = this.#rules;
    if (roots.length === 0 || error.code !== "path_refused" || !path.startsWith("/")) return error;
    const named = roots.map((root) => `${JSON.stringify(root.path)} for ${root.access === "read" ? "reading" : "reading and writing"}`);
    return new ToolwrightError(error.code, `${error.message} Beside it the policy opens ${named.join(", ")}.`, {
      details: error.details,
      cause: error,
    });
  }

  /** A path of the place that holds all of the changes. Throws `path_refused` where there are several: a change is made whole or not at all. */
  oneOf(changes: readonly FileChange[]): string {
    const [first] = changes;
    const paths = changes.flatMap((change) => [change.path, ...(change.kind === "update" && change.moveTo ? [change.moveTo] : [])]);
    const places = new Set(paths.map((path) => this.of(path).root));
    if (places.size > 1)
      throw new ToolwrightError(
        "path_refused",
        `The change is made whole or not at all, so its files lie in one folder, and not in ${places.size}. Split it by folder.`,
      );
    return first?.path ?? ".";
  }
}
