import type { Agent, AgentTool } from "../../ports/catalogue-store.ts";
import type { Rendering } from "../shell.ts";

interface OpenedAgent extends Agent {
  readonly skills: readonly string[];
  readonly tools: readonly AgentTool[];
}

export const agentsView: Rendering<{ readonly items: readonly Agent[] }> = {
  show: ({ items }) =>
    items.length === 0
      ? ["No agents are stored: assistant answers with the usual settings. Make one with: toolwright agents create NAME"]
      : [{ head: ["agent", "tools", "accepts agents", "off", "name"], rows: items.map(toRow) }],
};

export const agentView: Rendering<OpenedAgent> = { show: describeAgent };

/** All of an agent, line by line. */
export function describeAgent(found: OpenedAgent): readonly string[] {
  const { agent, name, skills, model = "the usual one", limits = {}, instructions, tools: rows } = found;
  const [, tools, accepts, off] = toRow(found);
  const limited = Object.entries(limits).map(([limit, value]) => `${limit} ${value}`);
  return [
    `${agent}: ${name}`,
    `Tools: ${tools}. Accepts agents: ${accepts}. Features off: ${off}. Skills: ${skills.join(", ") || "none"}.`,
    `Model: ${model}. Limits: ${limited.join(", ") || "the usual ones"}.`,
    ...(instructions === undefined ? [] : ["", instructions.trimEnd(), ""]),
    ...rows.map(
      ({ tool, source, skill, enabled }) => `  ${tool}: ${enabled ? "on" : "off"}, ${skill === undefined ? source : `skill ${skill}`}`,
    ),
  ];
}

function toRow({ agent, name, restricted, acceptsAgents, features }: Agent): readonly string[] {
  const off = Object.keys(features).filter((feature) => features[feature] === false);
  return [agent, restricted ? "only enabled ones" : "all but disabled ones", acceptsAgents ? "yes" : "no", off.join(", ") || "none", name];
}
