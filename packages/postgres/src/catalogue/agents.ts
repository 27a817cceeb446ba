import { type Agents, checkAgentSettings, checkCatalogueName } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { readBelongings, toBelongings } from "./agent-belongings.ts";
import { deleteAgent, finishRemoval } from "./remove-agent.ts";
import { insertAgent, requireAgent, selectAgents, updateAgent } from "./write-agents.ts";

type Run = <Result>(tenant: string, work: (query: Query) => Promise<Result>) => Promise<Result>;

/** `write` lets every process know of the change. */
export function createAgents(database: Database, { read, write }: { readonly read: Run; readonly write: Run }): Agents {
  return {
    list: (tenant) => read(tenant, (query) => selectAgents(query, tenant)),
    async create(tenant, agent, tools = []) {
      checkCatalogueName("agent", agent.agent);
      checkAgentSettings(agent);
      await write(tenant, (query) => insertAgent(query, tenant, agent, tools));
    },
    async change(tenant, agent, changes) {
      checkAgentSettings(changes);
      await write(tenant, (query) => updateAgent(query, { tenant, agent }, changes));
    },
    belongings: (tenant, agent, at) =>
      read(tenant, async (query) => {
        await requireAgent(query, tenant, agent);
        return toBelongings(await readBelongings(query, { tenant, agent }, at));
      }),
    async remove(tenant, agent, removal) {
      const removed = await write(tenant, (query) => deleteAgent(query, { tenant, agent }, removal));
      await finishRemoval(database, { tenant, agent }, { ...removal, ...removed });
      return toBelongings(removed.belongings);
    },
  };
}
