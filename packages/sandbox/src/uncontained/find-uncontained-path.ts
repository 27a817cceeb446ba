import { isAbsolute, join } from "node:path";
import type { Caution, PathReach } from "@toolwright/engine/ports";
import { realPathOf } from "../binding/find-landing.ts";
import { isInside } from "../exec/confine-workdir.ts";
import { Findings } from "./findings.ts";
import { newWalkBudget, walkTree } from "./walk-tree.ts";

/** What a path comes to where another program opens it: where it really leads, and which credential files lie below. Never rejects. */
export async function findUncontainedPath(workspaceOf: () => string, reach: PathReach): Promise<readonly Caution[]> {
  const workspace = workspaceOf();
  const root = realPathOf(workspace);
  if (root === undefined) return [];
  const found = new Findings(root);
  try {
    const path = isAbsolute(reach.path) ? reach.path : join(root, reach.path);
    found.usePath(path, { reads: reach.below === "names" ? "names" : "content", access: reach.access });
    const real = realPathOf(path);
    if (reach.below === "content" && real !== undefined && isInside(root, real))
      await walkTree(real, walkOf(reach), found, newWalkBudget());
  } catch {
    found.addUnknown("The project could not be looked through, so what this call would reach is not known.");
  }
  return found.cautions();
}

/** Hidden files too; what `.gitignore` names is left out, unless a pattern chooses it. */
const walkOf = ({ matching }: PathReach) => ({
  reads: "content" as const,
  follows: false,
  listsLinks: false,
  hidden: true,
  ignores: matching === undefined,
  tracked: false,
  only: matching === undefined ? [] : [matching],
  except: [],
  exceptFolders: [],
});
