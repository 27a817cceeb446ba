import type { Rendering, ViewPart } from "../shell.ts";

interface Change {
  readonly agent: string;
  readonly change: "created" | "changed" | "same";
  readonly members: readonly string[];
}

interface AppliedAgents {
  readonly dryRun: boolean;
  readonly agents: readonly Change[];
  readonly policy: { readonly agents: readonly string[]; readonly revision?: number | undefined };
  readonly unknown?: readonly string[] | undefined;
}

export const appliedAgentsView: Rendering<AppliedAgents> = {
  show: ({ dryRun, agents, policy, unknown = [] }) => [
    ...tellUnknown(unknown),
    ...agents.map(describeChange),
    ...describePolicy(policy),
    ...(dryRun ? ["Nothing was written."] : []),
  ],
};

/** A policy may name tools that come later: nothing is wrong with it, and nothing comes of it. */
function tellUnknown(unknown: readonly string[]): readonly ViewPart[] {
  if (unknown.length === 0) return [];
  return [{ note: `There is no tool or group ${unknown.join(", ")} now; what names it has no effect yet.`, always: true }];
}

function describeChange({ agent, change, members }: Change): string {
  if (change === "same") return `${agent}: as it was`;
  return change === "created" ? `${agent}: created` : `${agent}: changed (${members.join(", ")})`;
}

function describePolicy({ agents, revision }: AppliedAgents["policy"]): readonly string[] {
  if (agents.length === 0) return [];
  return [`policy of the tenant: tools of ${agents.join(", ")}${revision === undefined ? "" : `, at revision ${revision}`}`];
}
