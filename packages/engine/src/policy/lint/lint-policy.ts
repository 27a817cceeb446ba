import type { PolicyTier } from "../policy.ts";
import type { ToolFacts } from "../tool-layer.ts";
import { lintAgents } from "./lint-agents.ts";
import { lintCommands } from "./lint-commands.ts";
import type { LintFinding } from "./lint-finding.ts";
import { lintReach } from "./lint-reach.ts";
import { lintTiers } from "./lint-tiers.ts";
import { lintTools } from "./lint-tools.ts";

export type { LintFinding } from "./lint-finding.ts";

const checks = [lintAgents, lintTools, lintCommands, lintReach, lintTiers];

/**
 * Names what valid documents say in vain: dead and shadowed rules, names that no tool has, entries that match everything, lower
 * tiers that ask for more than they can have, agents that nobody has. `documents` is highest tier first; `tools` are all that there are, hidden
 * ones too; `agents` are the ids of those that have a row, without which agents are not looked at.
 */
export function lintPolicy(
  documents: readonly PolicyTier[],
  tools: readonly ToolFacts[],
  agents?: ReadonlySet<string>,
): readonly LintFinding[] {
  return documents.flatMap((_, index) => checks.flatMap((check) => check({ documents, index, tools, agents })));
}
