import type { AgentBelongings } from "@toolwright/postgres";
import { cliPrincipal, localTenant } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { oneLine } from "../../output/log-line.ts";
import { readSettings } from "../../settings.ts";
import { conversationsOf, removeConversations } from "../../workspaces.ts";
import { type TenantOptions, withStore } from "../context/with-store.ts";

/** Deletes an agent and all that would act in its name. In a terminal it asks first; elsewhere it wants to be told that it need not. */
export function deleteAgent(io: Io, options: TenantOptions & { readonly yes?: boolean }, [agent = ""]: readonly string[]): Promise<number> {
  const { tenant = localTenant, yes = false, json } = options;
  const findConversations = () => conversationsOf(readSettings(options, io), tenant, agent);
  return withStore(io, options, async ({ catalogue: { agents } }) => {
    const at = Date.now();
    if (!yes) {
      const belongings = await agents.belongings(tenant, agent, at);
      if (!(await confirm(io, agent, { belongings, conversations: findConversations() }))) {
        io.err("Nothing was deleted.\n");
        return exitCodes.cancelled;
      }
    }
    const removed = await agents.remove(tenant, agent, { by: cliPrincipal(io).actor, at });
    const conversations = findConversations();
    const files = conversations === undefined ? {} : { conversations: removeFiles(conversations) };
    if (json) io.out(`${JSON.stringify({ agent, removed: { ...removed, ...files } }, null, 2)}\n`);
    else io.out(`Deleted the agent ${agent} with ${describe(removed)}${describeFiles(conversations, files.conversations)}.\n`);
    return exitCodes.done;
  });
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
  readonly conversations: string | undefined;
}

async function confirm(io: Io, agent: string, { belongings, conversations }: Losses): Promise<boolean> {
  if (!io.isInteractive) throw new CliError(`Nobody can be asked whether the agent ${agent} is to be deleted. Add --yes.`);
  const files = conversations === undefined ? "" : `, and the files of its conversations in ${conversations}`;
  io.err(`With the agent ${agent} go ${describe(belongings)}${files}. What it did stays in the log.\n`);
  const words = (await io.ask(`Delete ${agent}? [y/N] `))?.trim().toLowerCase();
  return words === "y" || words === "yes";
}

/** Says where it looked, too: on another machine, or with another workspace, files are elsewhere. */
function describeFiles(conversations: string | undefined, removed: number | undefined): string {
  return conversations === undefined ? "" : `, and ${count(removed ?? 0, "conversation") || "no conversation"} in ${conversations}`;
}

/** `the schedule nightly, 2 keys and 3 secrets` */
function describe({ schedules, jobs, keys, grants, approvals, secrets, tools, skills }: AgentBelongings): string {
  const parts = [
    count(schedules.length, "schedule", schedules),
    count(jobs.length, "unfinished job", jobs),
    count(keys.length, "API key", keys),
    count(grants.length, "grant"),
    count(approvals.length, "waiting approval"),
    count(secrets, "secret"),
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
