import { describeGrant } from "@toolwright/engine/policy";
import type { GrantTerms } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { inTenant } from "../../output/in-tenant.ts";
import type { Person } from "../context/as-person.ts";

/** How far a yes is remembered, as the command line says it. */
export interface RememberOptions {
  readonly remember?: string;
  readonly for?: string;
  readonly times?: string;
}

const scopes: readonly GrantTerms["scope"][] = ["session", "agent", "tenant"];
const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Undefined when nothing is to be remembered. Throws when an option cannot be read. */
export function readTerms({ remember, for: time, times }: RememberOptions): GrantTerms | undefined {
  if (remember === undefined) {
    if (time !== undefined || times !== undefined) throw new CliError("--for and --times belong to --remember session, agent or tenant.");
    return undefined;
  }
  const scope = scopes.find((name) => name === remember);
  if (!scope) throw new CliError(`--remember ${remember} is not known. Write --remember session, agent or tenant.`);
  return { scope, ...(time !== undefined && { forMs: readTime(time) }), ...(times !== undefined && { maxUses: readCount(times) }) };
}

function readTime(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) throw new CliError(`--for ${text} is not a time. Write 30m, 1h or 7d.`);
  return Number(count) * units[unit as keyof typeof units];
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new CliError(`--times ${text} is not a count. Write a whole number from 1.`);
  return Number(text);
}

export async function tellGrant(
  io: Pick<Io, "err">,
  { operate, tenant }: Pick<Person, "operate" | "tenant">,
  approval: string,
): Promise<void> {
  const { items } = await operate("grants.list", {});
  const given = items.find(({ record }) => record.approval === approval);
  if (given)
    io.err(
      `${describeGrant(given)}\nEnd it with: toolwright grants revoke ${given.record.id}${tenant === undefined ? "" : inTenant(tenant)}\n`,
    );
}
