import type { JsonObject, Principal, Scope } from "@toolwright/engine";
import { type GrantPredicate, type GrantTerms, type JobRecord, type JobRequest, MANAGE_JOBS } from "@toolwright/engine/ports";
import type { Toolwright } from "@toolwright/server";
import { withAskedPermissions } from "@toolwright/server/local";
import { cliPrincipal } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import { readAllowance } from "../../input/read-allowance.ts";
import { parseObject } from "../../input/read-fields.ts";
import type { Io } from "../../io.ts";
import { findTool } from "../context/find-tool.ts";

/** Whoever types the command: what jobs are made with, and what grants are given by. */
export function maker(io: Io, { tenant }: { readonly tenant?: string } = {}): Principal {
  return { ...cliPrincipal(io, true), ...(tenant !== undefined && { tenant }) };
}

/** The same, who looks after all jobs of a tenant. */
export function keeper(io: Io, options: { readonly tenant?: string }): Principal {
  const principal = maker(io, options);
  return { ...principal, permissions: [...principal.permissions, MANAGE_JOBS] };
}

export interface Wanted {
  /** Default: this machine's. */
  readonly tenant?: string | undefined;
  readonly tool: string;
  /** JSON. */
  readonly input: string | undefined;
  /** What runs unasked, in words. */
  readonly allow: readonly string[] | undefined;
  readonly session: string;
}

export interface PreparedJob {
  readonly input: JsonObject;
  /** Gives what is to be allowed to this session alone; what is returned takes it back. */
  allow(): Promise<() => Promise<void>>;
}

/** Looks that the tool is there and that its input fits. */
export function prepareJob(
  { engine, policy }: Toolwright,
  io: Io,
  { tool, input: text, allow = [], session, terms, ...whose }: Wanted & { readonly terms: Omit<GrantTerms, "scope"> },
): PreparedJob {
  const scope: Scope = engine.scope(withAskedPermissions(engine, maker(io, ofTenant(whose))), { session });
  const { inputSchema } = findTool(scope, tool, policy);
  const input = text === undefined ? {} : parseObject(text, tool, inputSchema);
  checkInput(scope, tool, input);
  const allows: readonly GrantPredicate[] = allow.map((words) => readAllowance(words, input));
  return {
    input,
    async allow() {
      if (allows.length === 0) return async () => {};
      const { record } = await scope.grant({ tool, allows, scope: "session", ...terms });
      return () => scope.revokeGrant(record.id);
    },
  };
}

const ofTenant = ({ tenant }: Pick<Wanted, "tenant">) => (tenant === undefined ? {} : { tenant });

/** As the call would: a misspelt member is told to whoever is there, not found when the job dies. */
function checkInput(scope: Scope, tool: string, input: JsonObject): void {
  const { misfit } = scope.why(tool, input);
  if (misfit !== undefined) throw new CliError(misfit);
}

/** Allowed first: a worker may begin the job as soon as it is there. */
export async function enqueueAllowed(
  { store }: Toolwright,
  io: Io,
  { request, allow, tenant }: Pick<PreparedJob, "allow"> & Pick<Wanted, "tenant"> & { readonly request: JobRequest },
): Promise<JobRecord> {
  const takeBack = await allow();
  try {
    return await store.jobs.enqueue(maker(io, ofTenant({ tenant })), request);
  } catch (error) {
    await takeBack();
    throw error;
  }
}

/** Ends all that was allowed to a session. */
export async function revokeAllowances({ engine }: Toolwright, principal: Principal, session: string): Promise<void> {
  const scope: Scope = engine.scope(principal, { session });
  for (const { record } of await scope.grants())
    if (record.scope.kind === "session" && record.scope.session === session) await scope.revokeGrant(record.id);
}
