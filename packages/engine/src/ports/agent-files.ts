import { definePort } from "./define-port.ts";

/** Where on a machine the files of an agent's conversations lie. */
export interface AgentFolders {
  /** Folders of its conversations. */
  readonly own: readonly string[];
  /** Such as a folder of conversations would be, of which nothing says that it is the agent's: it stays. */
  readonly others: readonly string[];
}

/** The conversations of an agent whose files went. */
export interface RemovedFolder {
  readonly folder: string;
  readonly conversations: number;
  /** Why not all of the folder could be removed, as a code of the system: `EACCES`. */
  readonly problem?: string;
}

/** Files that agents wrote in their conversations, where each conversation has a folder of its own on the machine of the engine. */
export interface AgentFiles {
  find(tenant: string, agent: string): AgentFolders;
  /** Removes the files of all its conversations. What else lies there stays. Rejects for nothing: what is left over is told. */
  remove(tenant: string, agent: string): readonly RemovedFolder[];
}

export const agentFilesPort = definePort<AgentFiles>()("agentFiles", "who knows the files of agents, as @toolwright/server does");
