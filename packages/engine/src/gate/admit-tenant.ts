import type { CallResult } from "../contract/call.ts";
import { describeMissingTenant } from "../ports/tenant-store.ts";
import type { Call } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";

/** Ends a call for a tenant that does not exist, before anything of it happens; undefined for any other. */
export function refuseTenant(call: Call, { tenants }: Pick<GateParts, "tenants">): undefined | Promise<CallResult | undefined> {
  const known = tenants.has(call.principal.tenant);
  if (known === true) return undefined;
  return Promise.resolve(known).then((exists) => (exists ? undefined : refuse(call)));
}

function refuse(call: Call): CallResult {
  // Its events would belong to nobody.
  call.isRecorded = true;
  const { tenant } = call.principal;
  return call.failed({
    code: "tenant_not_found",
    message: describeMissingTenant(tenant),
  });
}
