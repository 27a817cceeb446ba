import { namesTool } from "../../catalogue/join-parts.ts";
import type { CallResult } from "../../contract/call.ts";
import type { StepRecord } from "../../ports/call-tree.ts";
import { redeemApproval } from "../approvals/redeem-approval.ts";
import { Call } from "../call.ts";
import { decideAttended, heedCautions } from "../decide-call.ts";
import { runDecided } from "../gate.ts";
import type { GateParts } from "../gate-parts.ts";
import { guardCall } from "../guard-call.ts";
import { prepareCall } from "../prepare-call.ts";
import { executeAgain } from "../run/execute-call.ts";
import { ofApproval, openInput } from "../sealed/sealed-inputs.ts";
import type { PartRequest } from "./part-request.ts";

const mostDepth = 8;
const mostCalls = 200;

/** Takes a call that a handler makes through the gate: every stage, after the bounds of the tree. Never throws or rejects. */
export function passPart(request: PartRequest, parts: GateParts): CallResult | Promise<CallResult> {
  return guardCall(new Call(parts, request), parts, (call) => {
    const refused = refusePart(call, request, parts);
    if (refused) return refused;
    call.step = request.tree.add(call, request.input);
    if (request.known) return goOn(call, { request, known: request.known, parts });
    const prepared = prepareCall(call, request.input, parts);
    return prepared.end ?? runDecided(prepared.value, parts);
  });
}

function refusePart(call: Call, { name, place, handles, tree, known, other }: PartRequest, parts: GateParts): CallResult | undefined {
  const parent = place.chain.at(-1);
  const tool = parts.snapshot(call.principal.tenant).find(name);
  if (!(tool ? namesTool(handles, tool) : known !== undefined || handles.includes(name) || handles.includes("*")))
    return call.failed({
      code: "effect_refused",
      message: `Tool "${parent}" may not call "${name}": its effect tools names ${handles.join(", ")}. Add "${name}" there.`,
    });
  if (place.chain.includes(name))
    return call.failed({
      code: "call_cycle",
      message: `Tool "${name}" is in the chain ${[...place.chain, name].join(" > ")} already, and a tool may not call itself. Break the circle.`,
    });
  if (place.depth > mostDepth)
    return call.failed({
      code: "call_depth",
      message: `"${name}" would be call ${place.depth} levels below the first one, and ${mostDepth} are allowed. Call it from further up.`,
    });
  if (!known && tree.size >= mostCalls)
    return call.failed({
      code: "call_tree_full",
      message: `The call ${place.root} has made ${mostCalls} calls inside, which is the most that one may. Do less at a time, or begin another call.`,
    });
  if (other)
    return call.failed({
      code: "step_diverged",
      message: `Step ${JSON.stringify(place.step)} of "${parent}" was another call, of "${other.tool}", before it was suspended. Give each call a step of its own, and let nothing but recorded results decide what a handler calls.`,
    });
  return undefined;
}

interface GoingOn {
  readonly request: PartRequest;
  readonly known: StepRecord;
  readonly parts: GateParts;
}

/** A step that an earlier run left without an ending. */
async function goOn(call: Call, { request, known, parts }: GoingOn): Promise<CallResult> {
  const tool = parts.snapshot(call.principal.tenant).find(known.tool);
  if (tool?.hash !== known.definition) {
    const what = tool ? `the definition of the tool "${known.tool}" changed` : `the tool "${known.tool}" is gone`;
    request.tree.void(`The call ${call.place?.root} cannot go on: ${what} while it waited. Make the call again.`);
    return call.failed({ code: "call_void", message: request.tree.voided ?? "" });
  }
  const { approval } = known;
  const stored = approval === undefined ? undefined : await parts.approvals.get(call.principal.tenant, approval);
  const outcome = stored?.answer?.outcome;
  const isClaimed = stored?.claimedAt !== undefined && (outcome?.kind === "approve" || outcome?.kind === "edit");
  if (stored && !isClaimed) return redeemApproval(call, stored, parts);
  // Its own calls are answered from the record; and what has not begun is begun once.
  const isHarmless = !known.hasBegun || tool.effects.tools !== undefined || tool.hints.idempotentHint;
  if (!isHarmless || (approval !== undefined && !stored)) return lostPart(call, known);
  const edited =
    stored && outcome?.kind === "edit"
      ? await openInput(outcome, ofApproval(call.principal.tenant, stored.record.id), parts.sealer)
      : undefined;
  return runAgain(call, { input: edited ?? request.input, approved: stored !== undefined, parts });
}

interface RunningAgain {
  readonly input: unknown;
  readonly approved: boolean;
  readonly parts: GateParts;
}

async function runAgain(call: Call, { input, approved, parts }: RunningAgain): Promise<CallResult> {
  const prepared = prepareCall(call, input, parts);
  if (prepared.end) return prepared.end;
  const decision = await heedCautions(prepared.value, decideAttended(prepared.value, parts), parts, true);
  if (decision.effect === "deny") return call.denied(decision);
  return executeAgain({ ...prepared.value, approved }, { ...decision, effect: "allow" }, parts);
}

/** Its process ended in the middle of it, and nobody runs it twice. */
function lostPart(call: Call, { callId, tool }: StepRecord): CallResult {
  const message = `The process that ran "${tool}" ended before call ${callId} did, so nobody knows how it ended. Look at what it may have changed; it is not run again by itself.`;
  return { ...call.facts(), status: "unknown", error: { code: "call_lost", message } };
}
