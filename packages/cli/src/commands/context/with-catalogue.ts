import type { SurveyEntry } from "@toolwright/engine/operations";
import { type ListedSkill, nearestName, visibleText } from "@toolwright/engine/ports";
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

interface OpenCatalogue extends Person {
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

/** Of a name that no skill of the tenant has. */
export function missingSkill(name: string, skills: readonly Pick<ListedSkill, "skill">[], tenant: string | undefined): CliError {
  const known = skills.map(({ skill }) => skill);
  const words = `There is no skill "${visibleText(name)}".${hint(name, known)} See them with: toolwright skills list${inTenant(tenant)}`;
  return new CliError(words);
}

function hint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest ? ` Did you mean "${nearest}"?` : "";
}
