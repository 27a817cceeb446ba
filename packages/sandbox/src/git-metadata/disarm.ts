import { quotePath } from "@toolwright/commands/targets";
import { judgeSetting } from "../repository/known-settings.ts";
import { writeConfiguration } from "../repository/write-configuration.ts";
import type { HeldWorkspace } from "./hold-folder.ts";
import type { Charge, SavedFile } from "./inspect-metadata.ts";
import { readSettings } from "./read-settings.ts";

const mostNames = 1000;

/**
 * Takes from git what it would obey, by the least that does it: the file as it was, else only its harmless settings, else another name.
 * Never throws; the sentence says what was found and what was done.
 */
export function disarm(workspace: HeldWorkspace, charge: Charge, saved: SavedFile | undefined): string {
  const { path, what } = charge;
  const begin = `${quotePath(path)} was ${saved ? "changed" : "made"} during this run and ${what}.`;
  try {
    if (saved) return `${begin} ${putBack(workspace, path, saved)}`;
    if (charge.kind === "settings" && reduce(workspace, path)) return `${begin} Those settings were taken out.`;
    return `${begin} Its name is now ${quotePath(setAside(workspace, path))}, which git does not obey.`;
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    return `${begin} It could not be taken away (${code}). Do not run git in this workspace before you have looked at that file.`;
  }
}

function putBack(workspace: HeldWorkspace, path: string, { content, mode }: SavedFile): string {
  const entry = workspace.read(path);
  const aside = entry !== undefined && entry.type !== "file" ? setAside(workspace, path) : undefined;
  workspace.replace(path, content, mode);
  return aside === undefined ? "It is as it was before." : `It is as it was before; what stood in its place is now ${quotePath(aside)}.`;
}

function reduce(workspace: HeldWorkspace, path: string): boolean {
  const entry = workspace.read(path);
  const settings = entry?.type === "file" ? readSettings(entry.content) : undefined;
  if (entry?.type !== "file" || !settings) return false;
  const kept = settings.filter((setting) => judgeSetting(setting).isHarmlessOnHost);
  workspace.replace(path, Buffer.from(writeConfiguration(kept)), entry.mode);
  return true;
}

/** Returns the new path. */
function setAside(workspace: HeldWorkspace, path: string): string {
  const at = path.lastIndexOf("/") + 1;
  for (let number = 1; number <= mostNames; number++) {
    const name = `${path.slice(at)}.disarmed-${number}`;
    const target = path.slice(0, at) + name;
    if (workspace.stat(target) !== undefined) continue;
    workspace.rename(path, name);
    return target;
  }
  throw Object.assign(new Error(), { code: "EEXIST" });
}
