import { firstLine } from "@toolwright/agents";
import type { McpPrompts } from "@toolwright/doors/mcp";
import type { Principal } from "@toolwright/engine";
import { type CatalogueStore, RUN_AGENTS } from "@toolwright/engine/ports";

/** Skills as prompts of MCP clients: of the agent that a client acts as, else all of the tenant. They are for those who may run an agent that has them. */
export function skillPrompts({ skills, tenantTools }: Pick<CatalogueStore, "skills" | "tenantTools">): McpPrompts {
  const skillsOf = async ({ tenant, agent, permissions }: Principal) => {
    const all = permissions.includes(RUN_AGENTS) ? await skills.list(tenant) : [];
    return agent === undefined ? all : all.filter(({ agents }) => agents.includes(agent));
  };
  return {
    list: async (principal) =>
      (await skillsOf(principal)).map(({ skill, title, instructions }) => ({ name: skill, title, description: firstLine(instructions) })),
    async get({ name }, principal) {
      const found = (await skillsOf(principal)).find(({ skill }) => skill === name);
      return found && { description: found.title, messages: [{ role: "user", content: { type: "text", text: found.instructions } }] };
    },
    // Told of every change of the catalogue, of which skills are a part.
    onListChanged: (listener) => tenantTools.onChange(listener),
  };
}
