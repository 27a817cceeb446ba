import { ToolwrightError } from "../../contract/errors.ts";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { refuseAllows } from "../../policy/grants/grant-proposal.ts";
import type { GrantRecord, StoredGrant } from "../../ports/grant-store.ts";
import { isPerson } from "../approvals/approval-access.ts";
import type { GateParts } from "../gate-parts.ts";
import { isCallerAdmitted } from "../prepare-call.ts";
import { audienceFor, draft, notAllowed, refused, requirePermission } from "./draft-grant.ts";
import type { GrantRequest } from "./grant-request.ts";
import { granteeOf, isGrantedTo } from "./use-grants.ts";

/** Live grants: those that hold for the principal in any session, or all for whoever may answer for others. */
export async function listGrants(principal: Principal, parts: GateParts): Promise<readonly StoredGrant[]> {
  const live = await parts.grants.list(principal.tenant, { liveAt: parts.clock.now() });
  return live.filter(({ record }) => maySeeGrant(principal, record));
}

function maySeeGrant(principal: Principal, { scope, by }: GrantRecord): boolean {
  if (isPerson(principal) && (principal.permissions.includes(ANSWER_APPROVALS) || by.id === principal.actor.id)) return true;
  return isGrantedTo(scope, principal, scope.kind === "session" ? scope.session : "");
}

export async function giveGrant(
  { principal, session }: { readonly principal: Principal; readonly session: string },
  wanted: GrantRequest,
  parts: GateParts,
): Promise<StoredGrant> {
  if (!isPerson(principal)) throw notAllowed("Only a person whom a door can reach may give a grant: no agent, service or unattended run.");
  const holder = wanted.agent === undefined ? granteeOf(principal) : granteeOf({ ...principal, agent: wanted.agent });
  const scope = audienceFor(wanted, { session, holder });
  if (scope.kind === "tenant" || holder !== granteeOf(principal)) requirePermission(principal);
  const tool = parts.snapshot(principal.tenant).find(wanted.tool);
  if (!tool || !isCallerAdmitted(tool, principal, parts))
    throw new ToolwrightError("tool_not_found", `There is no tool named ${JSON.stringify(wanted.tool)}.`);
  if (tool.facts.approval === "always_ask") throw refused(tool.name, "the tool asks before each call");
  const reason = refuseAllows(wanted.allows, { namesReaches: tool.definition.reaches !== undefined });
  if (reason !== undefined) throw refused(tool.name, reason);
  const record = draft({ principal, tool, allows: wanted.allows, scope }, wanted, { parts });
  await parts.grants.create(record);
  return { record, used: 0 };
}

/** Whoever gave it, whom it is for, and whoever may answer for others. */
export async function revokeGrant(principal: Principal, id: string, parts: GateParts): Promise<void> {
  const stored = await parts.grants.get(principal.tenant, id);
  if (!stored || !maySeeGrant(principal, stored.record)) throw new ToolwrightError("grant_not_found", `There is no grant ${id} here.`);
  if (!isPerson(principal)) throw notAllowed("Only a person may revoke a grant.");
  const { by, scope } = stored.record;
  if (scope.kind === "tenant" && by.id !== principal.actor.id) requirePermission(principal);
  await parts.grants.revoke(principal.tenant, id, { by: principal.actor, at: parts.clock.now() });
}
