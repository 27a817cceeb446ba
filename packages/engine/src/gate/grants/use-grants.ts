import type { Decision } from "../../contract/decision.ts";
import { digest } from "../../contract/digest.ts";
import type { Principal } from "../../contract/principal.ts";
import { coverCall } from "../../policy/grants/grant-coverage.ts";
import type { GrantAudience, StoredGrant } from "../../ports/grant-store.ts";
import { type ParsedCall, reachesOf } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { noteEvent } from "../record-events.ts";

/** A call that may run because of what people said before. */
interface GrantedCall {
  readonly parsed: ParsedCall;
  readonly decision: Decision;
}

/** Whom grants of one agent are for: the agent, or the actor where there is none. */
export function granteeOf({ agent, actor }: Pick<Principal, "agent" | "actor">): string {
  return agent === undefined ? `${actor.kind} ${actor.id}` : `agent ${agent}`;
}

export function isGrantedTo(scope: GrantAudience, principal: Principal, session: string): boolean {
  if (scope.kind === "tenant") return true;
  return scope.holder === granteeOf(principal) && (scope.kind === "agent" || scope.session === session);
}

/**
 * Turns `ask` into `allow` when grants cover every finding that asks, and counts their use; undefined when a person has to be asked. Of a call
 * inside another one, always: who remembered a yes saw the agent make the call, and not what other tools make of it.
 */
export async function useGrants(parsed: ParsedCall, decision: Decision, parts: GateParts): Promise<GrantedCall | undefined> {
  if (parsed.call.place) return undefined;
  try {
    const covering = await findCoveringGrants(parsed, decision, parts);
    if (!covering) return undefined;
    if (parsed.call.options.preparation) return granted(parsed, decision, covering);
    if (!(await countUses(covering, parts))) return undefined;
    return recordGranted(parsed, decision, { covering, parts });
  } catch (error) {
    // Without the store nothing is remembered, so the call asks.
    parts.logger.log("error", "The grant store could not be used.", { callId: parsed.call.id, error: String(error) });
    return undefined;
  }
}

async function findCoveringGrants(
  { call, tool, input }: ParsedCall,
  decision: Decision,
  parts: GateParts,
): Promise<readonly StoredGrant[] | undefined> {
  const live = await parts.grants.list(call.principal.tenant, { liveAt: parts.clock.now(), tool: tool.name });
  const since = Math.max(0, ...decision.findings.flatMap(({ grantsSince }) => grantsSince ?? []));
  const usable = live.filter(
    ({ record }) => record.definition === tool.hash && record.createdAt > since && isGrantedTo(record.scope, call.principal, call.session),
  );
  if (usable.length === 0) return undefined;
  const allowances = usable.flatMap(({ record }) => record.allows.map((allows) => ({ allows, by: record.id })));
  const ids = coverCall({ tool: tool.facts, reaches: reachesOf({ call, tool, input }), digest: digest(input), decision }, allowances);
  return ids && usable.filter(({ record }) => ids.includes(record.id));
}

/** One that was revoked or used up in the meantime means that a person is asked; what was counted before it stays counted. */
async function countUses(grants: readonly StoredGrant[], parts: GateParts): Promise<boolean> {
  for (const { record } of grants) if (!(await parts.grants.use(record.tenant, record.id, parts.clock.now()))) return false;
  return true;
}

function recordGranted(
  parsed: ParsedCall,
  decision: Decision,
  { covering, parts }: { readonly covering: readonly StoredGrant[]; readonly parts: GateParts },
): GrantedCall {
  const ids = covering.map(({ record }) => record.id);
  noteEvent(parsed.call, "tool.approved", { grants: ids, by: covering.map(({ record }) => ({ ...record.by })) }, parts);
  return granted(parsed, decision, covering);
}

function granted(parsed: ParsedCall, decision: Decision, covering: readonly StoredGrant[]): GrantedCall {
  const ids = covering.map(({ record }) => record.id);
  const givers = [...new Set(covering.map(({ record: { by } }) => `${by.kind} "${by.id}"`))];
  return {
    // The very input of a tool that names nothing was said yes to, so the call as a whole was.
    parsed: { ...parsed, approved: reachesOf(parsed).length === 0 },
    decision: { ...decision, effect: "allow", rule: `grant:${ids.join("+")}`, reason: `${givers.join(" and ")} allowed this before.` },
  };
}
