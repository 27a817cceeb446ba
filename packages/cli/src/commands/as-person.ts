import type { Scope, StoredApproval } from "@toolwright/engine";
import { cliPrincipal, cliSession, withAskedPermissions } from "../caller.ts";
import { CliError } from "../cli-error.ts";
import type { ComposeOptions, Toolwright } from "../compose.ts";
import type { Io } from "../io.ts";
import { inTenant } from "../output/in-tenant.ts";
import type { TenantOptions } from "./with-store.ts";
import { withToolwright } from "./with-toolwright.ts";

type Use = (scope: Scope, toolwright: Toolwright) => Promise<number>;

/** Whoever types one of these commands is the person whom the approval waits for, in whatever tenant. */
export function asPerson(io: Io, options: TenantOptions & ComposeOptions, use: Use): Promise<number> {
  return withToolwright(io, options, (toolwright) => {
    const { engine } = toolwright;
    const principal = { ...cliPrincipal(io, true), ...(options.tenant !== undefined && { tenant: options.tenant }) };
    return use(engine.scope(withAskedPermissions(engine, principal), { session: cliSession() }), toolwright);
  });
}

export async function findStored({ principal: { tenant } }: Scope, { approvals }: Toolwright, id: string): Promise<StoredApproval> {
  const stored = await approvals.get(tenant, id);
  if (!stored) throw new CliError(`There is no approval "${id}". See the open ones with: toolwright approvals list${inTenant(tenant)}`);
  return stored;
}
