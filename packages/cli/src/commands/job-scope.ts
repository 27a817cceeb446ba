import { type GrantPredicate, type GrantTerms, type JsonObject, MANAGE_JOBS, type Principal, type Scope } from "@toolwright/engine";
import { cliPrincipal } from "../caller.ts";
import type { Toolwright } from "../compose.ts";
import { readAllowance } from "../input/read-allowance.ts";
import { parseObject } from "../input/read-fields.ts";
import type { Io } from "../io.ts";
import { findTool } from "./find-tool.ts";

/** Whoever types the command: what jobs are made with, and what grants are given by. */
export function maker(io: Io): Principal {
  return cliPrincipal(io, true);
}

/** The same, who looks after all jobs of a tenant. */
export function keeper(io: Io, { tenant }: { readonly tenant?: string }): Principal {
  const principal = maker(io);
  return { ...principal, ...(tenant !== undefined && { tenant }), permissions: [...principal.permissions, MANAGE_JOBS] };
}

export interface Wanted {
  readonly tool: string;
  /** JSON. */
  readonly input: string | undefined;
  /** What runs unasked, in words. */
  readonly allow: readonly string[] | undefined;
  readonly session: string;
}

/** Looks that the tool is there, and gives what is to be allowed to this session alone. */
export async function prepareJob(
  { engine }: Toolwright,
  io: Io,
  { tool, input: text, allow = [], session, terms }: Wanted & { readonly terms: Omit<GrantTerms, "scope"> },
): Promise<JsonObject> {
  const scope: Scope = engine.scope(maker(io), { session });
  findTool(scope, tool);
  const input = text === undefined ? {} : parseObject(text, tool);
  const allows: readonly GrantPredicate[] = allow.map((words) => readAllowance(words, input));
  if (allows.length > 0) await scope.grant({ tool, allows, scope: "session", ...terms });
  return input;
}
