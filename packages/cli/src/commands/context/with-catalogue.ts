import type { SurveyEntry } from "@toolwright/engine/operations";
import { type ListedSkill, nearestName, toolOfRow, visibleText } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { inTenant } from "../../output/in-tenant.ts";
import { asPerson, type Person } from "./as-person.ts";
import type { Operate } from "./operate.ts";
import type { RemoteOptions } from "./operate-remotely.ts";
import type { TenantOptions } from "./with-store.ts";

export interface CatalogueOptions extends TenantOptions, RemoteOptions {
  readonly agent?: string;
}

export interface OpenCatalogue extends Person {
  /** For people. */
  readonly whose: string;
}

export function withCatalogue(io: Io, options: CatalogueOptions, use: (open: OpenCatalogue) => Promise<number>): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, (person) => use({ ...person, whose: person.tenant ?? "The tenant" }));
}

/** All tools, hidden ones too. */
export async function surveyTools(operate: Operate, agent?: string): Promise<readonly SurveyEntry[]> {
  return (await operate("tools.survey", { agent })).items;
}

/** Throws for a name that no tool of the tenant has, hidden ones included, and for an agent that is no tool, as it accepts no agents. */
export async function requireTools(operate: Operate, names: readonly string[]): Promise<void> {
  const known = (await surveyTools(operate)).map(({ tool }) => tool.name);
  for (const name of names) {
    if (known.includes(toolOfRow(name))) continue;
    const agent = /^agent:(.+)$/.exec(name)?.[1];
    const { items } = agent === undefined ? { items: [] } : await operate("agents.list", {});
    if (items.some((each) => each.agent === agent && !each.acceptsAgents))
      throw new CliError(
        `The agent "${agent}" accepts no agents, so it is no tool of others. Let it: toolwright agents set ${agent} --accepts-agents`,
      );
    throw new CliError(`There is no tool "${visibleText(name)}".${hint(name, known)} See them with: toolwright tools list`);
  }
}

/** Of a name that no skill of the tenant has. */
export function missingSkill(name: string, skills: readonly Pick<ListedSkill, "skill">[], tenant: string | undefined): CliError {
  const known = skills.map(({ skill }) => skill);
  const words = `There is no skill "${visibleText(name)}".${hint(name, known)} See them with: toolwright skills list${inTenant(tenant)}`;
  return new CliError(words);
}

export function hint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest ? ` Did you mean "${nearest}"?` : "";
}
