import type { Item } from "../../api/queries.ts";

type Stored = Item<"approvals.list">;

export interface Batch {
  readonly key: string;
  readonly tool: string;
  readonly rule: string;
  readonly items: readonly Stored[];
}

/** Text of one call that can be read in a batch; a longer one has its own card only. */
const mostText = 400;

/** Calls that may be answered together: one tool, one rule, one person's yes, and nothing of high risk. */
export function batchesOf(items: readonly Stored[]): readonly Batch[] {
  const found = new Map<string, Stored[]>();
  for (const item of items) {
    const { tool, decision, quorum } = item.record;
    const isRisky = decision.findings.some(({ risk, grantable }) => risk === "high" || grantable === false);
    if (isRisky || quorum || JSON.stringify(item.record.input).length > mostText) continue;
    const key = JSON.stringify([tool, decision.rule]);
    found.set(key, [...(found.get(key) ?? []), item]);
  }
  return [...found]
    .filter(([, batch]) => batch.length > 1)
    .map(([key, batch]) => ({ key, tool: batch[0]!.record.tool, rule: batch[0]!.record.decision.rule, items: batch }));
}
