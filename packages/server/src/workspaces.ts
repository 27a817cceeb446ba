import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Principal, ToolwrightError } from "@toolwright/engine";
import { sha256, visibleText } from "@toolwright/engine/ports";
import { localTenant } from "./local-owner.ts";
import type { Settings, WorkspaceFolders } from "./settings.ts";

export interface WorkspaceSite {
  readonly principal: Principal;
  readonly session: string;
}

/** Hears in which folder of a tenant conversations of agents have folders. */
export type RememberFolder = (tenant: string, folder: string) => void;

export type Workspaces = WorkspaceFolders & Pick<Settings, "workspacePer">;

const folderName = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/**
 * The folder that tools of a call reach: one for each tenant, or also one for each conversation of an agent, which is one session. It is made
 * when it is first needed.
 */
export function workspacesOf(places: Workspaces, remember: RememberFolder = () => {}): (site: WorkspaceSite) => string {
  return ({ principal: { tenant, agent }, session }) => {
    const above = aboveTenant(places, tenant);
    if (above.parts.length > 0) makeTop(above.root);
    if (agent !== undefined && places.workspacePer !== "tenant") remember(tenant, join(above.root, ...above.parts));
    const ofAgent =
      agent === undefined || places.workspacePer === "tenant" ? [] : [nameFolder("agent", agent), "conversations", toFolderName(session)];
    return makeFolders(above.root, [...above.parts, ...ofAgent]);
  };
}

/** Where an agent's conversations have their folders in a folder of its tenant; undefined for a name that is none for a folder. */
export function conversationsIn(folder: string, agent: string): string | undefined {
  return folderName.test(agent) ? join(folder, agent, "conversations") : undefined;
}

/** The folder of a tenant that the settings name. */
export function folderOf(places: WorkspaceFolders, tenant: string): string {
  const { root, parts } = aboveTenant(places, tenant);
  return join(root, ...parts);
}

/** Removes all of them, and gives how many there were. What else lies in the agent's folder stays, and links are not followed. */
export function removeConversations(conversations: string): number {
  const agent = join(conversations, "..");
  if (!isFolder(agent) || !isFolder(conversations)) return 0;
  const count = readdirSync(conversations).length;
  rmSync(conversations, { recursive: true });
  try {
    rmdirSync(agent);
  } catch {
    // Something else is in it.
  }
  return count;
}

/** That of this machine's own tenant is there already. */
function aboveTenant({ workspace, tenantWorkspaces }: WorkspaceFolders, tenant: string): { root: string; parts: readonly string[] } {
  return tenant === localTenant ? { root: workspace, parts: [] } : { root: tenantWorkspaces, parts: [nameFolder("tenant", tenant)] };
}

function nameFolder(what: "tenant" | "agent", name: string): string {
  if (folderName.test(name)) return name;
  throw new ToolwrightError("workspace_missing", `The ${what} "${visibleText(name)}" has no workspace: its name is none for a folder.`);
}

/** No two sessions share a folder, also where names differ in case alone: one that is not its own name has a hash, and no other ends so. */
function toFolderName(session: string): string {
  if (folderName.test(session) && !/-[0-9a-f]{32}$/.test(session)) return session;
  // No dash comes first: a command would take the name for an option.
  const readable =
    session
      .replace(/[^a-zA-Z0-9_-]/g, "_")
      .replace(/^-/, "_")
      .slice(0, 40) || "_";
  return `${readable}-${sha256(session).slice(0, 32)}`;
}

/** What an operator named, which may be a link. */
function makeTop(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw cannotMake(cause);
  }
}

/** Below what an operator named no link is followed: a tool could have put it there. */
function makeFolders(root: string, parts: readonly string[]): string {
  let path = root;
  for (const part of parts) {
    path = join(path, part);
    if (isFolder(path)) continue;
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (cause) {
      // Another process may have made it meanwhile.
      if (!isFolder(path)) throw cannotMake(cause);
    }
  }
  return path;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Without the path: a model reads this. */
function cannotMake(cause: unknown): ToolwrightError {
  return new ToolwrightError(
    "workspace_missing",
    `The workspace of the call cannot be made (${(cause as NodeJS.ErrnoException).code}). An operator looks at TOOLWRIGHT_WORKSPACE and TOOLWRIGHT_TENANT_WORKSPACES.`,
    { cause },
  );
}
