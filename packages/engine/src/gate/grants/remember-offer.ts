import { ToolwrightError } from "../../contract/errors.ts";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { oneLine } from "../../contract/visible-text.ts";
import { previewAllows } from "../../policy/grants/grant-text.ts";
import type { ApprovalRecord } from "../../ports/approval-store.ts";
import type { GrantTerms } from "../../ports/grant-store.ts";
import { approvalNotFound, findApproval } from "../approvals/approval-access.ts";
import type { GateParts } from "../gate-parts.ts";
import { proposeFor } from "./draft-grant.ts";
import type { GrantProposal, RememberChoice, RememberOffer } from "./grant-request.ts";
import { granteeOf } from "./use-grants.ts";

export async function proposeGrant(principal: Principal, approvalId: string, parts: GateParts): Promise<GrantProposal> {
  const stored = await findApproval(principal, approvalId, parts);
  if (!stored) throw approvalNotFound(approvalId);
  const { tool, allows } = proposeFor(stored, parts);
  return { tool: tool.name, allows, ...previewAllows(allows) };
}

/** What a door offers a person beside "this call only". Where nothing may be remembered (R-AP-9) there are no choices, and the reason. */
export async function offerRemember(principal: Principal, approvalId: string, parts: GateParts): Promise<RememberOffer> {
  const stored = await findApproval(principal, approvalId, parts);
  if (!stored) throw approvalNotFound(approvalId);
  try {
    const proposal = await proposeGrant(principal, approvalId, parts);
    return { choices: choicesFor(principal, stored.record), proposal };
  } catch (error) {
    if (!ToolwrightError.is(error) || error.code !== "grant_refused") throw error;
    return { choices: [], reason: error.message };
  }
}

function choicesFor(principal: Principal, record: ApprovalRecord): readonly RememberChoice[] {
  const choice = (scope: GrantTerms["scope"], title: string) => ({ scope, title: oneLine(title) });
  return [
    choice("session", "in this session, for 12 hours"),
    choice("agent", `for ${granteeOf(record.principal)} in every session, for 30 days`),
    ...(principal.permissions.includes(ANSWER_APPROVALS) ? [choice("tenant", "for everyone of the tenant, for 30 days")] : []),
  ];
}
