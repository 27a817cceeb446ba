import { localTenant } from "@toolwright/server/local";
import type { CommonOptions } from "../settings.ts";
import { inTenant } from "./in-tenant.ts";
import { shellWord } from "./shell-word.ts";

const places = ["workspace", "tools", "policy"] as const;

/** Options that a suggested command needs to meet the same call, with a blank before each: ` --tenant acme --policy policy.yaml`. */
export function describeOptions(
  options: Pick<CommonOptions, (typeof places)[number]> & { readonly tenant?: string; readonly server?: string },
): string {
  const { tenant = localTenant, server } = options;
  if (server !== undefined) return ` --server ${shellWord(server)}`;
  const named = places.flatMap((name) => (options[name] === undefined ? [] : [`--${name} ${shellWord(options[name])}`]));
  return [...(tenant === localTenant ? [] : [`--tenant ${shellWord(tenant)}`]), ...named].map((text) => ` ${text}`).join("");
}

/** Options that a suggested command needs to speak of the same tools: ` --tenant acme --agent coder`. */
export function describeWhereabouts({ tenant, agent, server }: Whereabouts): string {
  const there = server === undefined ? inTenant(tenant) : ` --server ${shellWord(server)}`;
  return `${there}${agent === undefined ? "" : ` --agent ${agent}`}`;
}

interface Whereabouts {
  readonly tenant?: string;
  readonly agent?: string;
  readonly server?: string;
}
