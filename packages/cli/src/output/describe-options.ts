import { localTenant } from "@toolwright/server/record";
import type { RemoteOptions } from "../commands/context/operate-remotely.ts";
import type { CommonOptions } from "../settings.ts";
import { inTenant } from "./in-tenant.ts";
import { shellWord } from "./shell-word.ts";

const places = ["server", "workspace", "tools", "policy"] as const;

/** Options that a suggested command needs to meet the same call, with a blank before each: ` --tenant acme --policy policy.yaml`. */
export function describeOptions(options: Pick<CommonOptions & RemoteOptions, (typeof places)[number] | "tenant">): string {
  const { tenant = localTenant } = options;
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
