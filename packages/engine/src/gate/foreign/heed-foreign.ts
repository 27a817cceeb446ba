import type { Finding } from "../../contract/decision.ts";
import type { ForeignMark } from "../../contract/foreign.ts";
import { findingAfterForeign } from "../../policy/after-foreign.ts";
import { mostForeignMarks } from "../../ports/foreign-marks.ts";
import type { ParsedCall } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { reachesOf } from "../reaches-of.ts";
import { sessionsOf } from "./sessions-of.ts";

/**
 * What the policy says of a call once its session has read foreign content; undefined, without a look at the session, where it says nothing.
 * @param findHosts - that the call acts on, where they are known: what was read from there does not count.
 */
export function heedForeign(
  parsed: ParsedCall,
  { foreign }: Pick<GateParts, "foreign">,
  findHosts: () => readonly string[] | undefined,
): Promise<readonly Finding[]> | undefined {
  const { call, tool } = parsed;
  const rule = call.policy.afterForeign(tool.facts, () => reachesOf(parsed));
  if (rule === undefined) return undefined;
  return foreign.of(call.principal.tenant, sessionsOf(call.principal, call.session)).then(
    (marks) => {
      const first = firstElsewhere(marks, findHosts());
      return first ? [findingAfterForeign(rule, tool, first)] : [];
    },
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

/** The first place that is another one than a host that is acted on. Where as many are kept as can be, others may have been read. */
function firstElsewhere(marks: readonly ForeignMark[], hosts: readonly string[] | undefined): ForeignMark | undefined {
  if (hosts === undefined) return marks[0];
  if (hosts.length === 0) return undefined;
  const strange = marks.find(({ place }) => hosts.some((host) => URL.parse(place ?? "")?.host !== host));
  return strange ?? (marks.length < mostForeignMarks ? undefined : marks[0]);
}
