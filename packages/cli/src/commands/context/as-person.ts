import { type Scope, type StoredApproval, ToolwrightError } from "@toolwright/engine";
import type { ComposeOptions, Toolwright } from "@toolwright/server";
import { cliScope } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { inTenant } from "../../output/in-tenant.ts";
import { type Operate, operateAs } from "./operate.ts";
import { operateRemotely, type RemoteOptions } from "./operate-remotely.ts";
import type { TenantOptions } from "./with-store.ts";
import { withToolwright } from "./with-toolwright.ts";

/** Whoever types one of these commands is the person whom the approval waits for, in whatever tenant. */
export interface Person {
  readonly operate: Operate;
  /** Where calls can be made: on this machine, and not with --server. */
  readonly here: { readonly scope: Scope; readonly toolwright: Toolwright } | undefined;
  /** As a command that is suggested names it. */
  readonly tenant: string | undefined;
}

export async function asPerson<Result>(
  io: Io,
  options: TenantOptions & RemoteOptions & ComposeOptions,
  use: (person: Person) => Promise<Result>,
): Promise<Result> {
  const { tenant, server } = options;
  if (server !== undefined) return use({ operate: operateRemotely(io, options), here: undefined, tenant: undefined });
  return withToolwright(io, options, async (toolwright) => {
    const scope = await cliScope(toolwright, io, { interactive: true, tenant });
    return use({ operate: operateAs(scope, toolwright), here: { scope, toolwright }, tenant: scope.principal.tenant });
  });
}

export async function findStored({ operate, tenant }: Pick<Person, "operate" | "tenant">, id: string): Promise<StoredApproval> {
  try {
    return await operate("approvals.get", { id });
  } catch (cause) {
    if (!ToolwrightError.is(cause) || cause.code !== "approval_not_found") throw cause;
    throw new CliError(`${cause.message}${tenant === undefined ? "" : inTenant(tenant)}`, { cause });
  }
}
