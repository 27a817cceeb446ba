import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import type { ServerIo } from "../io.ts";
import type { Settings } from "../settings.ts";
import { makeFolder } from "../state/make-folder.ts";
import { foreignReason } from "./folder-trust.ts";
import { identityOf, isMade, openTrustRecords } from "./trust-records.ts";

/**
 * Makes the folder of tools when it is missing, and keeps in mind which one that is: what its user puts there is trusted. One that is there
 * and empty is taken as well, since nothing came with it. True when it was made.
 */
export function makeToolsFolder(folder: string, { state }: Pick<Settings, "state">): boolean {
  const there = lstatSync(folder, { throwIfNoEntry: false });
  if (there === undefined) makeFolder(folder, 0o755);
  else if (!there.isDirectory() || readdirSync(folder).length > 0 || foreignReason(folder) !== undefined) return false;
  const real = realpathSync(folder);
  openTrustRecords(state).write({ folder: real, made: identityOf(real), files: {} });
  return there === undefined;
}

/** True for a folder of which whatever is put there loads. */
export function loadsAll({ tools, toolsNamed, state }: Pick<Settings, "tools" | "toolsNamed" | "state">): boolean {
  if (tools === undefined || toolsNamed || !existsSync(tools)) return toolsNamed;
  const real = realpathSync(tools);
  return isMade(real, openTrustRecords(state).read(real));
}

/** Makes the default folder of a server, and says so; where it cannot be made, there are no tools of one's own. */
export function ensureToolsFolder({ tools, toolsNamed, state }: Settings, io: Pick<ServerIo, "err">): void {
  if (tools === undefined || toolsNamed) return;
  try {
    if (makeToolsFolder(tools, { state })) io.err(`Made the folder of tools ${tools}.\n`);
  } catch (error) {
    io.err(`There is no folder of tools: ${(error as Error).message}\n`);
  }
}
