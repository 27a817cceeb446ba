import { existsSync } from "node:fs";
import type { AgentBelongings } from "@toolwright/engine/ports";
import { localTenant } from "@toolwright/server/local";
import type { Settings } from "@toolwright/server/settings";
import { readFolders } from "@toolwright/server/state";
import { oneLine } from "@toolwright/server/text";
import { conversationsIn, folderOf, removeConversations } from "@toolwright/server/workspaces";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { readSettings } from "../../settings.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { withOperations } from "../context/with-operations.ts";
import type { TenantOptions } from "../context/with-store.ts";

type DeleteOptions = TenantOptions & RemoteOptions & { readonly yes?: boolean };

/** Deletes an agent and all that would act in its name. In a terminal it asks first; elsewhere it wants to be told that it need not. */
export function deleteAgent(io: Io, options: DeleteOptions, [agent = ""]: readonly string[]): Promise<number> {
  const { tenant = localTenant, server, yes = false, json } = options;
  const find = () => (server === undefined ? findFiles(readSettings(options, io), tenant, agent) : { own: [], others: [] });
  return withOperations(io, options, async (operate) => {
    if (!yes) {
      const belongings = await operate("agents.belongings", { agent });
      if (!(await confirm(io, agent, { belongings, files: find() }))) {
        io.err("Nothing was deleted.\n");
        return exitCodes.cancelled;
      }
    }
    const { removed } = await operate("agents.remove", { agent });
    const { own, others } = find();
    const conversations = own.map((folder) => ({ folder, count: removeFiles(folder) }));
    const total = conversations.reduce((sum, { count }) => sum + count, 0);
    if (json) io.out(`${JSON.stringify({ agent, removed: { ...removed, conversations: total }, left: others }, null, 2)}\n`);
    else io.out(`Deleted the agent ${agent} with ${describe(removed)}${conversations.map(describeFiles).join("")}.\n`);
    io.err(describeRooms(removed));
    for (const folder of others) io.err(`${folder} stays: nothing says that it is the agent's. Remove it by hand if it is.\n`);
    return exitCodes.done;
  });
}

interface AgentFiles {
  /** Folders of its conversations. */
  readonly own: readonly string[];
  /** Such as a folder of conversations would be, in a workspace of which nobody noted that agents had any there. */
  readonly others: readonly string[];
}

/** In every workspace in which agents of the tenant had conversations on this machine, and in the one that the settings name. */
function findFiles(settings: Settings, tenant: string, agent: string): AgentFiles {
  const named = folderOf(settings, tenant);
  const known = new Set([...readFolders(settings.state, tenant), ...(settings.workspacePer === "tenant" ? [] : [named])]);
  const inEach = (folders: Iterable<string>) => [...folders].flatMap((folder) => conversationsIn(folder, agent) ?? []);
  const exists = (folder: string) => existsSync(folder);
  return { own: inEach(known).filter(exists), others: known.has(named) ? [] : inEach([named]).filter(exists) };
}

function removeFiles(conversations: string): number {
  try {
    return removeConversations(conversations);
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code;
    throw new CliError(`The agent is deleted, but not all its files (${why}). Remove ${conversations} by hand.`);
  }
}

interface Losses {
  readonly belongings: AgentBelongings;
  readonly files: AgentFiles;
}

async function confirm(io: Io, agent: string, { belongings, files: { own, others } }: Losses): Promise<boolean> {
  if (!io.isInteractive) throw new CliError(`This is no terminal, so delete cannot ask about the agent ${agent}. Add --yes to delete it.`);
  const files = own.length === 0 ? "" : `, and the files of its conversations in ${own.join(" and ")}`;
  io.err(`With the agent ${agent} go ${describe(belongings)}${files}. What it did stays in the log.\n${describeRooms(belongings)}`);
  for (const folder of others) io.err(`${folder} stays: nothing says that it is the agent's.\n`);
  const words = (await io.ask(`Delete ${agent}? [y/N] `))?.trim().toLowerCase();
  return words === "y" || words === "yes";
}

/** They belong to people. */
function describeRooms({ rooms }: AgentBelongings): string {
  if (rooms.length === 0) return "";
  const [stay, their] = rooms.length === 1 ? ["stays", "its"] : ["stay", "their"];
  return `${count(rooms.length, "room", rooms)} ${stay}, and ${their} events go to people.\n`;
}

const describeFiles = ({ folder, count: number }: { readonly folder: string; readonly count: number }) =>
  `, and ${count(number, "conversation") || "no conversation"} in ${folder}`;

/** `the schedule nightly, 2 keys and 3 secrets` */
function describe({ schedules, hooks, jobs, keys, grants, approvals, turns, secrets, memories, tools, skills }: AgentBelongings): string {
  const parts = [
    count(schedules.length, "schedule", schedules),
    count(hooks.length, "hook", hooks),
    count(jobs.length, "unfinished job", jobs),
    count(keys.length, "API key", keys),
    count(grants.length, "grant"),
    count(approvals.length, "waiting approval"),
    count(turns.length, "open turn"),
    count(secrets, "secret"),
    count(memories, "memory", [], "memories"),
    count(tools, "row of its tools", [], "rows of its tools"),
    count(skills, "skill"),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "nothing else" : parts.join(", ");
}

function count(number: number, one: string, names: readonly string[] = [], more = `${one}s`): string {
  if (number === 0) return "";
  const listed = names.length > 0 && names.length <= 10 ? ` (${names.map(oneLine).join(", ")})` : "";
  return `${number} ${number === 1 ? one : more}${listed}`;
}
