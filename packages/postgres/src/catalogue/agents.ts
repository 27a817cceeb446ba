import type { Database, Query } from "../database/database.ts";
import { type AgentBelongings, readBelongings, toBelongings } from "./agent-belongings.ts";
import { deleteAgent, finishRemoval, type Removal } from "./remove-agent.ts";
import { type Agent, type AgentChanges, checkName, insertAgent, requireAgent, selectAgents, updateAgent } from "./write-agents.ts";

export interface Agents {
  list(tenant: string): Promise<readonly Agent[]>;
  /** Rejects with `catalogue_refused`. `tools` are those that it is made with. */
  create(tenant: string, agent: Agent, tools?: readonly string[]): Promise<void>;
  /** Rejects with `catalogue_not_found`. */
  change(tenant: string, agent: string, changes: AgentChanges): Promise<void>;
  /** What `remove` would take along. Rejects with `catalogue_not_found`. */
  belongings(tenant: string, agent: string, at: number): Promise<AgentBelongings>;
  /** With all that would act in its name. Rejects with `catalogue_not_found`. */
  remove(tenant: string, agent: string, removal: Removal): Promise<AgentBelongings>;
}

type Run = <Result>(tenant: string, work: (query: Query) => Promise<Result>) => Promise<Result>;

/** `write` lets every process know of the change. */
export function createAgents(database: Database, { read, write }: { readonly read: Run; readonly write: Run }): Agents {
  return {
    list: (tenant) => read(tenant, (query) => selectAgents(query, tenant)),
    async create(tenant, agent, tools = []) {
      checkName("agent", agent.agent);
      await write(tenant, (query) => insertAgent(query, tenant, agent, tools));
    },
    change: (tenant, agent, changes) => write(tenant, (query) => updateAgent(query, { tenant, agent }, changes)),
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
