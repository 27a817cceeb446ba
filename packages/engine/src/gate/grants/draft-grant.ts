import type { CompiledTool } from "../../catalogue/compile-tool.ts";
import { digest } from "../../contract/digest.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { proposeAllows } from "../../policy/grants/grant-proposal.ts";
import type { StoredApproval } from "../../ports/approval-store.ts";
import type { GrantAudience, GrantRecord, GrantTerms } from "../../ports/grant-store.ts";
import { Call, reachesOf } from "../call.ts";
import { decideCall } from "../decide-call.ts";
import type { GateParts } from "../gate-parts.ts";
import { prepareCall } from "../prepare-call.ts";
import { granteeOf } from "./use-grants.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const longest = 365 * day;
const mostUses = 10_000;
const defaultUses = 1000;

/** What a person may say yes to, and for whom. */
interface Drafting {
  readonly principal: Principal;
  readonly tool: CompiledTool;
  readonly allows: GrantRecord["allows"];
  readonly scope: GrantAudience;
}

/** The record of an approval that is to be remembered, not saved yet. Throws `grant_refused`, `grant_not_allowed`. */
export function draftForApproval(principal: Principal, stored: StoredApproval, terms: GrantTerms, parts: GateParts): GrantRecord {
  const { record } = stored;
  const { tool, allows } = proposeFor(stored, parts);
  const scope = audienceFor(terms, { session: record.session, holder: granteeOf(record.principal) });
  if (scope.kind === "tenant") requirePermission(principal);
  return draft({ principal, tool, allows, scope }, terms, { parts, approval: record.id });
}

/** The narrowest predicates for the call of an approval, as it would be decided now. Throws `grant_refused`. */
export function proposeFor({ record }: StoredApproval, parts: GateParts): { tool: CompiledTool; allows: GrantRecord["allows"] } {
  const { callId: id, principal, session, tool: name, binding } = record;
  if (record.sealed !== undefined) throw refused(record.tool, "it holds sensitive members, which no grant compares");
  const call = new Call(parts, { id, principal, session, name, options: {} });
  const prepared = prepareCall(call, record.input, parts);
  if (prepared.end) throw refused(record.tool, "its tool or input does not fit any more");
  const { tool, input } = prepared.value;
  // Another policy may ask about more of the call: what is saved would not be what the person was shown.
  if (binding.definition !== tool.hash || binding.policyRevision !== call.policy.revision)
    throw refused(record.tool, "the tool or the policy changed since it was asked about, so this approval is void");
  const decision = decideCall(prepared.value, parts);
  const proposed = proposeAllows({ tool: tool.facts, reaches: reachesOf(prepared.value), digest: digest(input), decision });
  if (!proposed.ok) throw refused(record.tool, proposed.reason);
  // What the machine cautioned against is known from when it was asked, and no grant stands for it.
  const cautioned = record.decision.findings.find(({ grantable }) => grantable === false);
  if (cautioned) throw refused(record.tool, `a person is asked about it each time (${cautioned.rule})`);
  return { tool, allows: proposed.allows };
}

export function refused(tool: string, reason: string): ToolwrightError {
  return new ToolwrightError(
    "grant_refused",
    `A call of ${tool} cannot be remembered: ${reason}. Approve it each time, without remembering.`,
  );
}

export function audienceFor(
  { scope }: GrantTerms,
  { session, holder }: { readonly session: string; readonly holder: string },
): GrantAudience {
  switch (scope) {
    case "session":
      return { kind: scope, session, holder };
    case "agent":
      return { kind: scope, holder };
    case "tenant":
      return { kind: scope };
  }
}

/** Throws `grant_refused` when the limits are out of bounds. */
export function draft(
  { principal, tool, allows, scope }: Drafting,
  terms: GrantTerms,
  { parts, approval }: { readonly parts: GateParts; readonly approval?: string },
): GrantRecord {
  const createdAt = parts.clock.now();
  const forMs = terms.forMs ?? (scope.kind === "session" ? 12 * hour : 30 * day);
  const maxUses = terms.maxUses ?? defaultUses;
  if (!(forMs > 0 && forMs <= longest)) throw refused(tool.name, "a grant holds for more than nothing and at most 365 days");
  if (!(Number.isInteger(maxUses) && maxUses >= 1 && maxUses <= mostUses)) throw refused(tool.name, `a grant is for 1 to ${mostUses} uses`);
  return {
    id: parts.ids.next("grt"),
    tenant: principal.tenant,
    tool: tool.name,
    definition: tool.hash,
    scope,
    allows,
    by: principal.actor,
    createdAt,
    expiresAt: createdAt + forMs,
    maxUses,
    ...(approval !== undefined && { approval }),
  };
}

export function requirePermission(principal: Principal): void {
  if (!principal.permissions.includes(ANSWER_APPROVALS))
    throw notAllowed(`What holds for others needs the permission ${ANSWER_APPROVALS}. Choose the scope session or agent for yourself.`);
}

export function notAllowed(message: string): ToolwrightError {
  return new ToolwrightError("grant_not_allowed", message);
}
