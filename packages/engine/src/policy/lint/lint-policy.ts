import { nearestName } from "../../contract/nearest-name.ts";
import type { PolicyTier } from "../policy.ts";
import type { ToolFacts } from "../tool-layer.ts";
import { lintCommands } from "./lint-commands.ts";
import { documentOf, type LintFinding, type LintSubject } from "./lint-finding.ts";
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

/** A document of an agent that nobody has: what it narrows runs under another name, and is not narrowed. */
function lintAgents(subject: LintSubject): readonly LintFinding[] {
  const { agent } = documentOf(subject);
  const { agents, index } = subject;
  if (agent === undefined || agents === undefined || agents.has(agent)) return [];
  const nearest = nearestName(agent, agents);
  const remedy = nearest ? `did you mean ${JSON.stringify(nearest)}?` : "create it, or remove the document";
  return [{ level: "warning", document: index, path: [], message: `there is no agent ${JSON.stringify(agent)} (${remedy})` }];
}
