import { ToolwrightError } from "../contract/errors.ts";
import { nearestName } from "../contract/nearest-name.ts";
import { toolOfRow } from "../ports/agent-tool-name.ts";
import type { cataloguePort } from "../ports/catalogue-store.ts";
import type { OperationContext } from "./define-operation.ts";

/**
 * Throws for a name that no tool of the tenant has, hidden ones included, and for an agent that is no tool, as it accepts no agents. Who may
 * not survey the tools is told nothing of them, so any name passes.
 */
export async function requireTools(
  names: readonly string[],
  { principal, scope, ports }: Pick<OperationContext<typeof cataloguePort>, "principal" | "scope" | "ports">,
): Promise<void> {
  const known = scope.survey().map(({ tool }) => tool.name);
  const unknown = known.length === 0 ? undefined : names.find((name) => !known.includes(toolOfRow(name)));
  if (unknown === undefined) return;
  const agent = unknown.startsWith("agent:") ? unknown.slice("agent:".length) : undefined;
  const agents = agent === undefined ? [] : await ports.catalogue.agents.list(principal.tenant);
  if (agents.some((each) => each.agent === agent && !each.acceptsAgents))
    throw new ToolwrightError(
      "catalogue_refused",
      `The agent "${agent}" accepts no agents, so it is no tool of others. Let it: toolwright agents set ${agent} --accepts-agents`,
    );
  throw missingTool(unknown, known);
}

/** The error for a name that no tool has, hidden ones included. */
export function missingTool(wanted: string, known: readonly string[]): ToolwrightError {
  const nearest = nearestName(wanted, known);
  const meant = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
  return new ToolwrightError("tool_not_found", `There is no tool ${JSON.stringify(wanted)}.${meant} See them with: toolwright tools list`);
}
