import { type Decision, denyUnattended, type Effect, type Reach, strictest } from "../contract/decision.ts";
import type { ForeignMark } from "../contract/foreign.ts";
import type { Principal } from "../contract/principal.ts";
import type { ForeignMarks } from "../ports/foreign-marks.ts";
import { findingAfterForeign } from "./after-foreign.ts";
import type { Policy } from "./policy.ts";
import type { MachineFacts } from "./resource-layer.ts";
import type { ToolFacts } from "./tool-layer.ts";

/** A call that was made, with what is known of it now. */
export interface RecordedCall {
  readonly tool: ToolFacts;
  readonly reaches: readonly Reach[];
  readonly principal: Principal;
  /** What its session had read first by then, of foreign content. */
  readonly foreign?: ForeignMark | undefined;
}

/** How a call would end otherwise. */
export interface PolicyFlip {
  readonly before: Decision;
  readonly after: Decision;
}

/** Two policies, and what became of the calls that were decided under both. */
export interface Simulation {
  /** Decides one more call; undefined when it would go as before. */
  decide(call: RecordedCall): PolicyFlip | undefined;
  /** Calls so far. */
  readonly calls: number;
  /** How many of them each change of effect concerns, as `allow to deny`. */
  readonly changes: Readonly<Record<string, number>>;
}

/** Decides recorded calls under two policies, one call at a time. Nothing runs. */
export function simulatePolicy(policies: { readonly before: Policy; readonly after: Policy; readonly machine: MachineFacts }): Simulation {
  const decide = (given: Policy, { tool, reaches, principal, foreign }: RecordedCall) => {
    const policy = given.forPrincipal(principal);
    const decision = policy.decide(tool, reaches, policies.machine, principal);
    const rule = foreign && policy.afterForeign(tool, () => reaches, policies.machine);
    if (!rule || decision.effect === "deny") return decision;
    const asking = strictest([...decision.findings, findingAfterForeign(rule, tool, foreign)], decision.revision);
    return principal.unattended ? denyUnattended(asking) : asking;
  };
  const changes: Record<string, number> = {};
  let calls = 0;
  return {
    decide(call) {
      calls += 1;
      const [before, after] = [decide(policies.before, call), decide(policies.after, call)];
      if (before.effect === after.effect) return undefined;
      const change = `${before.effect satisfies Effect} to ${after.effect}`;
      changes[change] = (changes[change] ?? 0) + 1;
      return { before, after };
    },
    get calls() {
      return calls;
    },
    changes,
  };
}

/** Looks up what sessions of a tenant had read first by a time. Each session is asked for once. */
export function firstForeign(foreign: ForeignMarks, tenant: string): (session: string, at: number) => Promise<ForeignMark | undefined> {
  const known = new Map<string, ReturnType<ForeignMarks["of"]>>();
  return async (session, at) => {
    const marks = known.get(session) ?? foreign.of(tenant, [session]);
    known.set(session, marks);
    return (await marks).find((mark) => mark.at <= at);
  };
}
