import type { CallResult } from "../../contract/call.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import type { Principal } from "../../contract/principal.ts";
import type { StoredCall } from "../../ports/call-tree.ts";
import { pause } from "../../ports/clock.ts";
import { maySee } from "../approvals/approval-access.ts";
import { Call } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { recordEnding } from "../record-events.ts";
import { leaseMs, TreeRun } from "./tree-run.ts";

const lookMs = 100;

/**
 * Ends a suspended call, with every call inside that has not ended and every approval that they wait for. One that runs at this moment is
 * waited for. Gives how the call ended; rejects with `call_not_found`.
 */
export async function cancelTree(
  principal: Principal,
  callId: string,
  { reason, parts }: { reason: string; parts: GateParts },
): Promise<CallResult> {
  const { callTree, clock, ids } = parts;
  const ref = { tenant: principal.tenant, callId };
  for (;;) {
    const stored = await callTree.get(ref, clock.now());
    if (!stored || !maySee(principal, stored.call))
      throw new ToolwrightError(
        "call_not_found",
        `There is no suspended call ${callId} here. Only calls that wait for an answer are cancelled this way.`,
      );
    if (stored.result) return { ...stored.result, replayed: true };
    const holder = ids.next("run");
    const now = clock.now();
    const taken = await callTree.take(ref, { holder, until: now + leaseMs }, { now, isWaiting: true });
    if (taken) return cancelTaken(taken, { holder, reason, parts });
    await pause(lookMs, clock);
  }
}

async function cancelTaken(
  taken: StoredCall,
  { holder, reason, parts }: { readonly holder: string; readonly reason: string; readonly parts: GateParts },
): Promise<CallResult> {
  const { callId: id, principal, session, tool: name } = taken.call;
  const root = new Call(parts, { id, principal, session, name, options: {} });
  root.isAsked = true;
  const tree = new TreeRun(root, parts, { taken: { ...taken, held: { tenant: principal.tenant, callId: id, holder } } });
  const settled = await tree.settle(root.cancelled(reason));
  if (settled.status !== "cancelled") return settled;
  for (const step of taken.steps) {
    if (step.result) continue;
    const place = { root: id, parent: step.parent, step: step.step, depth: 1, chain: [] };
    const part = new Call(parts, { id: step.callId, principal, session, name: step.tool, options: {}, place });
    part.isAsked = true;
    await recordEnding(part, part.cancelled(reason), parts);
  }
  await parts.idempotency.settle({ tenant: principal.tenant, callId: id }, settled, parts.clock.now());
  return recordEnding(root, settled, parts);
}
