import { ToolwrightError } from "../contract/errors.ts";
import { EXPLAIN_CATALOGUE } from "../contract/permissions.ts";
import { catalogueMissing } from "../ports/catalogue-store.ts";
import type { Scope } from "../scope-types.ts";
import type { OperationContext } from "./define-operation.ts";

type Context = Pick<OperationContext, "principal" | "scope" | "scopeAs" | "parts">;

/**
 * The tools as this agent has them; without one, as whoever asks has them. Rejects for who may not know that of others, and for an agent that
 * neither the catalogue nor the policy names; where these name none, agents are described elsewhere, and any name may be one.
 */
export function seenByAgent(agent: string | undefined, { principal, scope, scopeAs, parts }: Context): Scope {
  if (agent === undefined) return scope;
  const { tenant, actor, permissions, delegated } = principal;
  if (delegated !== undefined || !permissions.includes(EXPLAIN_CATALOGUE)) {
    const message = `The ${actor.kind} ${JSON.stringify(actor.id)} may not ask for an agent. Ask somebody with the permission ${EXPLAIN_CATALOGUE}.`;
    throw new ToolwrightError("operation_not_allowed", message);
  }
  const known = [...new Set([...(parts.visibility.agents?.(tenant) ?? []), ...parts.policy(tenant).agents])];
  if (known.length > 0 && !known.includes(agent)) throw catalogueMissing("agent", agent, known);
  return scopeAs(agent);
}
