/** Names of tools have at most 64 characters. */
const longestTarget = 57;

/** True for an agent that is a tool of others, where it accepts them. */
export const isTarget = (agent: string) => agent.length <= longestTarget;

/** The tool with which agents call the agent of this name. */
export const agentToolOf = (agent: string) => `agent_${agent}`;

/** The tool that a row names: `agent:reviewer` is the agent of that name as a tool. */
export const toolOfRow = (row: string) => (row.startsWith("agent:") ? agentToolOf(row.slice("agent:".length)) : row);
