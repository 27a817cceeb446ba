import { existsSync } from "node:fs";
import type { AgentFiles, AgentFolders, RemovedFolder } from "@toolwright/engine/catalogue";
import type { Settings } from "../settings.ts";
import { conversationsIn, folderOf, removeConversations } from "../workspaces.ts";
import { readFolders } from "./conversation-folders.ts";

type Places = Pick<Settings, "state" | "workspace" | "tenantWorkspaces" | "workspacePer">;

/** The files of agents in every workspace in which they had conversations on this machine, and in the one that the settings name. */
export function openAgentFiles(places: Places): AgentFiles {
  const find = (tenant: string, agent: string) => findFolders(places, tenant, agent);
  return { find, remove: (tenant, agent) => find(tenant, agent).own.map(removeFolder) };
}

function findFolders(places: Places, tenant: string, agent: string): AgentFolders {
  const named = namedFolder(places, tenant);
  const known = new Set([...readFolders(places.state, tenant), ...(places.workspacePer === "tenant" ? [] : named)]);
  const inEach = (folders: Iterable<string>) =>
    [...folders].flatMap((folder) => conversationsIn(folder, agent) ?? []).filter((folder) => existsSync(folder));
  return { own: inEach(known), others: inEach(named.filter((folder) => !known.has(folder))) };
}

/** None of a tenant whose name is none for a folder: nobody wrote a file there. */
function namedFolder(places: Places, tenant: string): readonly string[] {
  try {
    return [folderOf(places, tenant)];
  } catch {
    return [];
  }
}

function removeFolder(folder: string): RemovedFolder {
  try {
    return { folder, conversations: removeConversations(folder) };
  } catch (cause) {
    return { folder, conversations: 0, problem: String((cause as NodeJS.ErrnoException).code) };
  }
}
