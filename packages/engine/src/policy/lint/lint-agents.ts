import { nearestName } from "../../contract/nearest-name.ts";
import { documentOf, type LintFinding, type LintSubject } from "./lint-finding.ts";

/** A document of an agent that nobody has: what it narrows runs under another name, and is not narrowed. */
export function lintAgents(subject: LintSubject): readonly LintFinding[] {
  const { agent } = documentOf(subject);
  const { agents, index } = subject;
  if (agent === undefined || agents === undefined || agents.has(agent)) return [];
  const nearest = nearestName(agent, agents);
  const remedy = nearest ? `did you mean ${JSON.stringify(nearest)}?` : "create it, or remove the document";
  return [{ level: "warning", document: index, path: [], message: `there is no agent ${JSON.stringify(agent)} (${remedy})` }];
}
