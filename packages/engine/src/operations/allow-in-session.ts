import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { giveGrant, listGrants, revokeGrant } from "../gate/grants/manage-grants.ts";
import type { GrantPredicate, GrantTerms } from "../ports/grant-store.ts";
import type { OperationContext } from "./define-operation.ts";
import { predicate } from "./grants.ts";
import { requireTool } from "./tools.ts";

export const allows = z.array(predicate).optional().describe("What would ask a person and runs unasked");

type Context = Pick<OperationContext, "principal" | "scope" | "parts">;

/** As the call would: a misspelt member is told to whoever is there, not found when nobody is. */
export function checkCall({ tool, input }: { readonly tool: string; readonly input: unknown }, context: Context): void {
  requireTool(tool, context);
  const { misfit } = context.scope.why(tool, input);
  if (misfit !== undefined) throw new ToolwrightError("invalid_input", misfit);
}

interface Allowance {
  readonly tool: string;
  readonly session: string | undefined;
  readonly allows: readonly GrantPredicate[];
  readonly terms: Omit<GrantTerms, "scope">;
}

/** Allows it in the session alone, then makes what it is for; where that fails, the allowance is taken back. */
export async function allowedIn<Made>(
  { tool, session, allows: allowed, terms }: Allowance,
  { principal, parts }: Context,
  make: () => Promise<Made>,
): Promise<Made> {
  if (session === undefined || allowed.length === 0) return make();
  const { record } = await giveGrant({ principal, session }, { tool, allows: allowed, scope: "session", ...terms }, parts);
  try {
    return await make();
  } catch (error) {
    await revokeGrant(principal, record.id, parts);
    throw error;
  }
}

/** Ends all that was allowed to a session. */
export async function revokeAllowed(session: string, { principal, parts }: Context): Promise<void> {
  for (const { record } of await listGrants(principal, parts))
    if (record.scope.kind === "session" && record.scope.session === session) await revokeGrant(principal, record.id, parts);
}
