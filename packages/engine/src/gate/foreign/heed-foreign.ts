import type { Finding } from "../../contract/decision.ts";
import { findingAfterForeign } from "../../policy/after-foreign.ts";
import type { ParsedCall } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { reachesOf } from "../reaches-of.ts";
import { sessionsOf } from "./sessions-of.ts";

/** What the policy says of a call once its session has read foreign content; undefined, without a look at the session, where it says nothing. */
export function heedForeign(parsed: ParsedCall, { foreign }: Pick<GateParts, "foreign">): Promise<readonly Finding[]> | undefined {
  const { call, tool } = parsed;
  const rule = call.policy.afterForeign(tool.facts, () => reachesOf(parsed));
  if (rule === undefined) return undefined;
  return foreign.of(call.principal.tenant, sessionsOf(call.principal, call.session)).then(
    ([first]) => (first ? [findingAfterForeign(rule, tool, first)] : []),
    (): readonly Finding[] => [
      {
        effect: "ask",
        layer: "tool",
        rule: rule.rule,
        risk: "medium",
        reason: "Whether the session has read content that nobody here wrote could not be found out, so a person has to look at this call.",
        remedy: "Approve this call, or make it again.",
        grantable: false,
      },
    ],
  );
}
