import { localTenant } from "@toolwright/server/local";
import type { CommonOptions } from "../settings.ts";
import { shellWord } from "./shell-word.ts";

const places = ["workspace", "tools", "policy"] as const;

/** Options that a suggested command needs to meet the same call, with a blank before each: ` --tenant acme --policy policy.yaml`. */
export function describeOptions(options: Pick<CommonOptions, (typeof places)[number]> & { readonly tenant?: string }): string {
  const { tenant = localTenant } = options;
  const named = places.flatMap((name) => (options[name] === undefined ? [] : [`--${name} ${shellWord(options[name])}`]));
  return [...(tenant === localTenant ? [] : [`--tenant ${shellWord(tenant)}`]), ...named].map((text) => ` ${text}`).join("");
}
