import { relative } from "node:path";
import type { CallSite } from "@toolwright/engine";
import type { ProcessSpec } from "@toolwright/engine/ports";
import { openedBeside } from "../files/opened-folders.ts";
import { expandForbidden } from "../files/workspace.ts";
import { type GuardedRun, guardRun } from "../git-metadata/guard-metadata.ts";
import { isInside } from "./confine-workdir.ts";
import { valuesOf, valuesOfRemotes, type WorkspaceViews } from "./workspace-view.ts";

type BoundFolder = NonNullable<ProcessSpec["folders"]>[number];

/** What a run gets of the folders that the policy opens beside the workspace. */
export interface RunFolders {
  readonly folders: readonly BoundFolder[];
  /** The guards of the folders for writing: git metadata there is sealed and compared as in the workspace. */
  readonly runs: readonly GuardedRun[];
  /** For the posture: what the run has, and what is not there. */
  readonly gaps: readonly string[];
}

type Site = Pick<CallSite, "approved" | "taint" | "paths">;

/**
 * Finds the folders of `paths.roots` for one run. What is forbidden in them is hidden, and unless a person approved the run, their credential
 * files are, too. Throws `path_refused` for a folder that holds workspaces.
 */
export async function openFolders(
  views: WorkspaceViews,
  site: Site,
  { workspace, seals }: { readonly workspace: string; readonly seals: boolean },
): Promise<RunFolders> {
  const [folders, runs, gaps]: [BoundFolder[], GuardedRun[], string[]] = [[], [], []];
  const closed = expandForbidden(site.paths.forbidden);
  for (const { path, access } of openedBeside(workspace, site.paths)) {
    if (closed.some((each) => isInside(each, path))) continue;
    const view = await views.look(path).catch(() => undefined);
    if (!view) {
      gaps.push(`The folder ${path}, which the policy opens, is not there, so the command did not have it.`);
      continue;
    }
    const run = access === "write" ? await guardRun(path, { access: "reads", approved: site.approved, seals }, view.survey) : undefined;
    if (run) runs.push(run);
    for (const value of [...valuesOfRemotes(view), ...(site.approved ? [] : valuesOf(view))]) site.taint(value);
    const credentials = site.approved ? [] : view.credentials.map((each) => each.path);
    const forbidden = closed.filter((each) => isInside(path, each));
    folders.push({
      path,
      writable: access === "write",
      ...(run && { sealedPaths: run.sealedPaths }),
      hiddenPaths: [...credentials, ...forbidden.map((each) => relative(path, each))],
    });
    gaps.push(`The command could ${access === "write" ? "read and write" : "read"} the folder ${path}, which the policy opens.`);
  }
  return { folders, runs, gaps };
}
