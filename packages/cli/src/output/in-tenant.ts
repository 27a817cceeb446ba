import { localTenant } from "@toolwright/server/record";

/** What a command that is suggested has to be told, too: ` --tenant acme`. */
export function inTenant(tenant = localTenant): string {
  return tenant === localTenant ? "" : ` --tenant ${tenant}`;
}
