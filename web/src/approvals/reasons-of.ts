import type { Stored } from "./stored.ts";

type Finding = Stored["record"]["decision"]["findings"][number];

/** What one rule says, of each part of the call of which it says the same. */
interface Reason {
  readonly finding: Finding;
  readonly subjects: readonly string[];
}

export function reasonsOf(findings: readonly Finding[]): readonly Reason[] {
  const reasons = new Map<string, Reason>();
  for (const finding of findings) {
    const { layer, rule, effect, risk, reason, subject } = finding;
    const key = JSON.stringify([layer, rule, effect, risk, reason]);
    const subjects = new Set([...(reasons.get(key)?.subjects ?? []), ...(subject === undefined ? [] : [subject])]);
    reasons.set(key, { finding: reasons.get(key)?.finding ?? finding, subjects: [...subjects] });
  }
  return [...reasons.values()];
}
