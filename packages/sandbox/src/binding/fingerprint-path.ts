import { isAbsolute, join, normalize, relative } from "node:path";
import type { Reach } from "@toolwright/engine";
import { digest, type Fingerprint } from "@toolwright/engine/ports";
import { isInside } from "../exec/confine-workdir.ts";
import { findLanding, realPathOf } from "./find-landing.ts";
import { holdTree, newTreeBudget } from "./hold-tree.ts";
import { FileMarker } from "./mark-entry.ts";
import { summariseParts } from "./summarise-parts.ts";

const tooLarge =
  "The folder holds too many files to hold still until somebody answers. Name a smaller part of it, or allow the call by a rule of the policy.";

/**
 * What a path is now: where it really lies or would come to lie, what the file there holds, and all that lies below a folder that is deleted.
 * Never rejects; nothing outside the workspace is read.
 */
export async function fingerprintPath(
  workspaceOf: () => string,
  { path, access }: Pick<Extract<Reach, { kind: "path" }>, "path" | "access">,
): Promise<Fingerprint> {
  const workspace = findWorkspace(workspaceOf);
  const root = workspace === undefined ? undefined : realPathOf(workspace);
  if (workspace === undefined || root === undefined) return { digest: "missing" };
  const given = isAbsolute(path) ? path : join(root, path);
  if (!isInside(root, given) && !isInside(workspace, given)) return { digest: "outside" };
  const real = realPathOf(given);
  const lies = real ?? findLanding(given);
  const files = new FileMarker();
  const mark = real === undefined ? "missing" : isInside(root, real) ? files.mark(real) : "outside";
  const shown = showPath([root, workspace], given);
  const standsFor = { folder: root };
  if (mark !== "folder" || access !== "delete") {
    const entry = [shown, [lies, mark]] as const;
    return { digest: digest(entry), parts: mark === "folder" && lies === normalize(given) ? [] : summariseParts([entry]), standsFor };
  }
  const tree = await holdTree(lies, { root, files, budget: newTreeBudget(), namesSuffice: true });
  const entries = [...(tree ?? [])].map(([name, held]) => [join(shown, name), held] as const);
  return {
    digest: digest([lies, entries]),
    parts: summariseParts(entries),
    standsFor,
    ...(tree === undefined && { unsettled: tooLarge }),
  };
}

function findWorkspace(workspaceOf: () => string): string | undefined {
  try {
    return workspaceOf();
  } catch {
    return undefined;
  }
}

function showPath([root, workspace]: readonly [root: string, workspace: string], path: string): string {
  return relative(isInside(root, path) ? root : workspace, path) || ".";
}
