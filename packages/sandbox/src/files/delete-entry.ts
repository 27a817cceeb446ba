import { closeSync, lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { quotePath } from "@toolwright/commands/targets";
import { type OpenFolder, openInside } from "./anchor.ts";
import { refusePath, reportMissing } from "./file-errors.ts";
import { readNames } from "./list-folder.ts";
import { actAt, addressOf, requireUnmoved } from "./walk.ts";
import { permitPath, type Workspace } from "./workspace.ts";

const mostDepth = 256;
const mostEntries = 200_000;

/** Removes a file, link, pipe or socket; a folder when it is empty or `recursive` is set. Links are removed, never followed. */
export function deleteEntry(workspace: Workspace, path: string, { recursive = false } = {}): Promise<{ readonly deleted: number }> {
  return actAt(workspace, path, { access: "delete", follow: false }, async (spot) => {
    const { entry, folder, name } = spot;
    if (!entry) throw reportMissing(spot.path, `There is nothing at ${quotePath(spot.path)} to delete.`);
    if (spot.path === "") throw refusePath(".", "is the workspace itself, which is not deleted; delete what is in it");
    requireUnmoved(workspace, spot);
    const place: Place = { folder, name, path: spot.path, depth: 0 };
    if (!entry.isDirectory()) unlinkSync(addressOf(workspace, spot));
    else if (!recursive) rmdirSync(addressOf(workspace, spot));
    else {
      // What may not go is found before anything is gone.
      await visit({ workspace, root: spot.root, act: false, count: 0 }, place);
      const removal: Removal = { workspace, root: spot.root, act: true, count: 0 };
      await visit(removal, place);
      return { deleted: removal.count };
    }
    return { deleted: 1 };
  });
}

interface Removal {
  readonly workspace: Workspace;
  readonly root: string;
  /** False to look only. */
  readonly act: boolean;
  count: number;
}

interface Place {
  readonly folder: OpenFolder;
  readonly name: string;
  readonly path: string;
  readonly depth: number;
}

async function visit(removal: Removal, place: Place): Promise<void> {
  const { workspace } = removal;
  permitPath(workspace, removal.root, { path: place.path, access: "delete" });
  if (place.depth > mostDepth || removal.count >= mostEntries)
    throw refusePath(place.path, "is in a tree too deep or too large to delete in one call; delete parts of it first");
  const address = workspace.anchoring.entry(place.folder, place.name);
  const isFolder = lstatSync(address).isDirectory();
  if (isFolder) await visitFolder(removal, place);
  if (removal.act) (isFolder ? rmdirSync : unlinkSync)(address);
  removal.count += 1;
}

async function visitFolder(removal: Removal, { folder, name, path, depth }: Place): Promise<void> {
  const { workspace } = removal;
  // A large tree must not keep the whole process busy.
  await setImmediate();
  workspace.signal.throwIfAborted();
  workspace.onStep("entering");
  const inner = openInside(workspace.anchoring, folder, name);
  try {
    workspace.onStep("opened");
    requireUnmoved(workspace, { folder: inner, path });
    const { names, complete } = readNames(workspace, inner);
    if (!complete) throw refusePath(path, "holds too many entries to delete in one call; delete parts of it first");
    for (const child of names) await visit(removal, { folder: inner, name: child, path: `${path}/${child}`, depth: depth + 1 });
  } finally {
    closeSync(inner.fd);
  }
}
