import type { Scope, StoredApproval } from "@toolwright/engine";
import type { ComposeOptions, Toolwright } from "@toolwright/server";
import { cliScope } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { inTenant } from "../../output/in-tenant.ts";
import type { TenantOptions } from "./with-store.ts";
import { withToolwright } from "./with-toolwright.ts";

type Use = (scope: Scope, toolwright: Toolwright) => Promise<number>;

/** Whoever types one of these commands is the person whom the approval waits for, in whatever tenant. */
export function asPerson(io: Io, options: TenantOptions & ComposeOptions, use: Use): Promise<number> {
  const { tenant } = options;
  return withToolwright(io, options, (toolwright) => use(cliScope(toolwright, io, { interactive: true, tenant }), toolwright));
}

export async function findStored(scope: Scope, id: string): Promise<StoredApproval> {
  const { tenant } = scope.principal;
  const stored = await scope.approval(id);
  if (!stored) throw new CliError(`There is no approval "${id}". See the open ones with: toolwright approvals list${inTenant(tenant)}`);
  return stored;
}
