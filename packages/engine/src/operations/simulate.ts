import { z } from "zod";
import type { Decision } from "../contract/decision.ts";
import { MANAGE_POLICY } from "../contract/permissions.ts";
import { type ReplayedCall, readCall } from "../gate/replay-call.ts";
import { readUnseen } from "../gate/unseen.ts";
import { tiersOfTenant } from "../policy/document/tenant-policy.ts";
import { firstForeign, type PolicyFlip, simulatePolicy } from "../policy/simulate-policy.ts";
import { runsPort } from "../ports/run-reader.ts";
import { isHidden } from "../schema/sensitive.ts";
import { loggedValue } from "./call-parts.ts";
import { type Answer, defineOperation } from "./define-operation.ts";
import { actor, limitUpTo, time } from "./json-parts.ts";
import { policyDocument } from "./policy.ts";

/** A decision, without what led to it. */
type BriefDecision = Pick<Decision, "effect" | "rule" | "reason" | "subject" | "revision">;

const brief = ({ effect, rule, reason, subject, revision }: Decision): BriefDecision => ({ effect, rule, reason, subject, revision });

const decision = (description: string) =>
  z
    .object({
      effect: z.enum(["allow", "ask", "deny"]),
      rule: z.string(),
      reason: z.string(),
      subject: z.unknown().optional(),
      revision: z.string(),
    })
    .describe(description);

const flipped = z.object({
  place: z.string().describe("Id of the call, or where it stands in what was read"),
  callId: z.string().optional(),
  at: time("When it was made").optional(),
  tool: z.string(),
  agent: z.string().optional(),
  actor,
  input: loggedValue,
  before: decision("Under the policy in force"),
  after: decision("Under the draft"),
});

/** A call that would go differently. */
export type FlippedCall = Answer<z.output<typeof flipped>>;

export function toFlipped(place: string, { tool, input, principal, callId, at }: ReplayedCall, { before, after }: PolicyFlip): FlippedCall {
  const { agent, actor: who } = principal;
  return { place, callId, at, tool: tool.name, agent, actor: who, input, before: brief(before), after: brief(after) };
}

/** A sensitive member is a length in the log, and nothing that the policy looks at depends on it. */
export const seesLengths = ({ input }: ReplayedCall): boolean => readUnseen(input, isHidden).places.length > 0;

/** Secrets are taken out of the log, so where the policy looks at one, it sees this. */
export const seesRedacted = ({ reaches }: ReplayedCall): boolean => JSON.stringify(reaches).includes("[redacted]");

export const endedUnasked = "It ended before the policy was asked.";

/** A simulation asks about the policy, not about this machine. */
export const assumedMachine = { sandbox: { available: true, detail: "assumed" } };

const most = 10_000;
const usual = 1_000;

export const simulateTenantPolicy = defineOperation({
  name: "policy.simulate",
  at: "POST /policy/simulate",
  title: "Simulate a policy",
  description:
    "Decides recorded calls of the tenant again, newest first, with a draft in place of its policy, and lists those that would go differently. Nothing runs and nothing is put in force. Needs a person with the permission policy:manage.",
  permission: MANAGE_POLICY,
  onlyPeople: true,
  effect: "read",
  needs: [runsPort],
  input: z.object({
    document: policyDocument,
    since: time("Calls that began then or later").optional(),
    agent: z.string().optional().describe("Only calls in the name of this agent"),
    tool: z.string().optional(),
    limit: limitUpTo(most, usual).describe(`Calls that are decided, newest first; default ${usual}`),
  }),
  output: z.object({
    calls: z.int().describe("Calls that were decided"),
    changes: z.record(z.string(), z.int()).describe("How many there are of each change, such as `allow to deny`"),
    items: z.array(flipped).describe("Those that would go differently"),
    leftOut: z.array(z.object({ place: z.string(), reason: z.string() })).describe("Calls that cannot be decided again"),
    redacted: z.int().describe("Calls that held a secret where the policy looks"),
    unseen: z.int().describe("Calls with sensitive members, which the log does not hold"),
  }),
  async run({ document, limit = usual, ...filter }, { principal: { tenant }, parts, ports, signal }) {
    const after = parts.draftPolicy(tiersOfTenant({ tenant, document }));
    const simulation = simulatePolicy({ before: parts.policy(tenant), after, machine: assumedMachine });
    const tools = new Map(parts.snapshot(tenant).tools.map((tool) => [tool.name, tool]));
    const items: FlippedCall[] = [];
    const leftOut: { place: string; reason: string }[] = [];
    let redacted = 0;
    let unseen = 0;
    const foreignOf = firstForeign(parts.foreign, tenant);
    for await (const { event } of ports.runs.beginnings({ ...filter, tenant, limit })) {
      signal?.throwIfAborted();
      const place = event.callId;
      const call = readCall(event, tools) ?? endedUnasked;
      if (typeof call === "string") {
        leftOut.push({ place, reason: call });
        continue;
      }
      if (seesRedacted(call)) redacted += 1;
      if (seesLengths(call)) unseen += 1;
      const flip = simulation.decide({ ...call, foreign: await foreignOf(event.session, event.at) });
      if (flip) items.push(toFlipped(place, call, flip));
    }
    const { calls, changes } = simulation;
    return { calls, changes: { ...changes }, items, leftOut, redacted, unseen };
  },
});
