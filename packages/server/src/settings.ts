import { existsSync, realpathSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { Embedder } from "@toolwright/engine/ports";
import type { OperatorSearch } from "@toolwright/tools";
import type { ModelSettings } from "./agents/open-models.ts";
import type { EmbedderSettings } from "./embedders/open-embedders.ts";
import type { ServerIo } from "./io.ts";
import { SettingsError } from "./settings-error.ts";

/** Where everything is. All paths are absolute. */
export interface Settings extends EmbedderSettings {
  readonly workspace: string;
  /** Holds the workspaces of all tenants but this machine's own, each in a folder named like the tenant; made when one is needed. */
  readonly tenantWorkspaces: string;
  /** Who has a folder to himself: each tenant, or within its own also each conversation of an agent. */
  readonly workspacePer: "tenant" | "conversation";
  /** May be missing on disk: its tools are there as soon as it is. Undefined when there can be none. */
  readonly tools: string | undefined;
  /** True when somebody named that folder, by an option or a variable, and so wants its code to run. */
  readonly toolsNamed: boolean;
  readonly policyFile: string | undefined;
  /** Where a policy is looked for, also later on; undefined when one was named. */
  readonly policyPlaces?: readonly string[];
  readonly state: string;
  /** URL of a PostgreSQL server; undefined for the embedded one in `state`. */
  readonly databaseUrl?: string;
  /** To that server, of this process at most; undefined for the default. */
  readonly connections?: number;
  /** For what can be made again. */
  readonly cache: string;
  /** In which a tool file must load, in milliseconds; undefined for the default. */
  readonly loadLimitMs?: number;
  /** Makes what finds tools by their meaning; undefined where they are found by their words alone. */
  readonly openEmbedder?: () => Promise<Embedder>;
  /** Bytes that artifacts may have together; what is not named has its default. */
  readonly artifactQuotas: Readonly<Partial<Record<"sessionBytes" | "tenantBytes", number>>>;
  /** Model of agents that name none. */
  readonly model: ModelSettings;
  /** What the operator sets up for searches of the web. */
  readonly search?: OperatorSearch;
  /** How long what is over is kept, in milliseconds; what is not named has its default. */
  readonly keep: KeepPeriods;
}

/** See the store's `Periods`. */
export type KeepPeriods = Readonly<Partial<Record<"overMs" | "logMs" | "artifactsMs", number>>>;

export const policyNames = ["policy.yaml", "policy.yml", "policy.json"];

export type { EmbedderSite, OpenEmbedder } from "./embedders/open-embedders.ts";

export type WorkspaceFolders = Pick<Settings, "workspace" | "tenantWorkspaces">;

/** Throws for a file or folder in a workspace: whoever may write there must not decide what tools may do. */
export function refuseInWorkspace(
  path: string,
  { what, places, remedy }: { readonly what: string; readonly places: WorkspaceFolders; readonly remedy: string },
): void {
  const workspace = [places.workspace, places.tenantWorkspaces].find((folder) => isInside(path, folder));
  if (workspace === undefined) return;
  throw new SettingsError(
    `The ${what} ${path} lies in the workspace ${workspace}, where every tool may write: a tool could change what tools may do. Choose another --workspace, or another place with ${remedy}.`,
  );
}

/** True for the folder itself too; links are followed. */
export function isInside(path: string, folder: string): boolean {
  const [inner, outer] = [realPath(path), realPath(folder)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** Follows links of as much of the path as is there. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = resolve(path, "..");
    return parent === path ? path : join(realPath(parent), path.slice(parent.length));
  }
}

/** Throws for a folder of tools that somebody named and that is not there: a mistyped one would have no tools, without a word. */
export function requireNamedTools({ tools, toolsNamed }: Pick<Settings, "tools" | "toolsNamed">): void {
  if (!toolsNamed || tools === undefined || existsSync(tools)) return;
  throw new SettingsError(`There is no folder of tools ${tools}. Make it, or check --tools or TOOLWRIGHT_TOOLS.`);
}

/** Says that a policy file of the current folder is not obeyed: it came with the folder, or its author forgot to name it (R-AP-8). */
export function tellUnusedPolicy({ policyFile, policyPlaces }: Settings, io: Pick<ServerIo, "cwd" | "err">): void {
  if (policyPlaces === undefined) return;
  const real = policyFile === undefined ? undefined : realpathSync(policyFile);
  const name = policyNames.find((each) => existsSync(join(io.cwd, each)) && realpathSync(join(io.cwd, each)) !== real);
  if (name !== undefined)
    io.err(`Left out: ./${name}. A policy of the current folder is not in force until you name it: --policy ${name}\n`);
}
