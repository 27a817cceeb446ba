import type { CallResult, InvokeOptions, Scope, StoredApproval } from "@toolwright/engine";
import { compilePolicy, tiersOfTenant } from "@toolwright/engine/policy";
import type { Toolwright } from "@toolwright/server";
import { describePolicyInForce } from "../../output/policy-in-force.ts";
import { refuseSuspended } from "./refuse-suspended.ts";

/** What came of an approved call. */
export interface Resumed {
  readonly result: CallResult;
  /** Explanation for stderr, printed after the result. */
  readonly note?: string | undefined;
}

/** Goes on with the call of an approval in this process, once. */
export async function resumeHere(
  { scope, toolwright }: { readonly scope: Scope; readonly toolwright: Toolwright },
  id: string,
  follow: InvokeOptions,
): Promise<Resumed> {
  await refuseSuspended(scope, toolwright);
  const result = await scope.resume(id, follow);
  if (result.status !== "failed" || result.error.code !== "approval_void") return { result };
  const stored = await scope.approval(id);
  return { result, note: stored && describeOtherPolicy(stored.record, toolwright) };
}

/** Each command has the policy that it is given, so an approval of a server is often run under another one by mistake. */
function describeOtherPolicy({ binding, principal }: StoredApproval["record"], { policy, store }: Toolwright): string | undefined {
  const own = store.policies.current(principal.tenant);
  const tiers = [...policy.tiers, ...(own ? tiersOfTenant(own) : [])];
  if (compilePolicy(tiers).forPrincipal(principal).revision === binding.policyRevision) return undefined;
  return `The call was made under a policy of revision ${binding.policyRevision.slice(0, 12)}; here, ${describePolicyInForce(policy).replace(/^The/, "the")} The approval stays: name the policy of the call with --policy FILE, or let its caller make the same call again.`;
}
