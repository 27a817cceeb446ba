import { relative } from "node:path";
import type { ModuleSource } from "@toolwright/engine/ports";
import type { ServerIo } from "../io.ts";
import { refuseInWorkspace, type Settings } from "../settings.ts";
import { openLogger } from "../text/open-logger.ts";
import { askAgain } from "../trust/ask-again.ts";
import { folderTrust } from "../trust/folder-trust.ts";
import { openTrustRecords } from "../trust/trust-records.ts";
import { createFolderSource, type FolderSourceOptions } from "./folder-source.ts";

type ToolPlaces = Pick<Settings, "tools" | "toolsNamed" | "state" | "workspace" | "tenantWorkspaces" | "loadLimitMs">;

interface Opening extends Pick<FolderSourceOptions, "onWatchError"> {
  /** True for a command that keeps running: nobody is asked then. */
  readonly watches?: boolean;
}

/**
 * The folder of tools that the settings mean. What was named by an option or a variable loads as it is; the folder that is only looked for
 * loads as far as somebody trusts it, and a person at a terminal is asked for what changed (R-AP-13). No code in a workspace runs (R-AP-8).
 */
export async function openToolFolder(settings: ToolPlaces, io: ServerIo, options: Opening = {}): Promise<ModuleSource | undefined> {
  const { tools, toolsNamed, state } = settings;
  if (tools === undefined) return undefined;
  const records = openTrustRecords(state);
  if (!toolsNamed && !options.watches) await askAgain(tools, records, io);
  const shown = relative(io.cwd, tools);
  return createFolderSource(tools, {
    name: shown.startsWith("..") || shown === "" ? tools : shown,
    logger: await openLogger(io),
    loadLimitMs: settings.loadLimitMs,
    ...(options.onWatchError && { onWatchError: options.onWatchError }),
    ...(!toolsNamed && { trust: folderTrust(records) }),
    guard: (path) => refuseInWorkspace(path, { what: "module", places: settings, remedy: "--tools" }),
  });
}
