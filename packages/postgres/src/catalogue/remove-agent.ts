import type { AgentName, AgentRemoval } from "@toolwright/engine/ports";
import { createPostgresApprovalStore } from "../approvals/postgres-approval-store.ts";
import type { Database, Query } from "../database/database.ts";
import { announceIdentity } from "../identity/announce-identity.ts";
import { announceChanges, cancelJob, cancelTopic } from "../jobs/postgres-jobs.ts";
import { clearMemories } from "../memories/postgres-memories.ts";
import { announceTurn } from "../turns/postgres-turns.ts";
import { cancelTurn } from "../turns/write-turn.ts";
import { type ReadBelongings, readBelongings } from "./agent-belongings.ts";
import { requireAgent } from "./write-agents.ts";

interface RemovedAgent {
  readonly belongings: ReadBelongings;
  /** Jobs whose state changed. */
  readonly changed: readonly string[];
}

/** Rejects with `catalogue_not_found`. */
export async function deleteAgent(query: Query, name: AgentName, { by, at }: AgentRemoval): Promise<RemovedAgent> {
  const { tenant, agent } = name;
  await requireAgent(query, tenant, agent);
  const belongings = await readBelongings(query, name, at);
  const { scheduleIds, jobRows, keys, grants } = belongings;
  const time = new Date(at);
  if (scheduleIds.length > 0)
    await query.deleteFrom("toolwright.schedules").where("tenant", "=", tenant).where("schedule", "in", scheduleIds).execute();
  await query.deleteFrom("toolwright.hooks").where("tenant", "=", tenant).where("agent", "=", agent).execute();
  const changed: string[] = [];
  for (const row of jobRows) changed.push(...(await cancelJob(query, row, { reason: whyGone(agent), at })));
  for (const id of belongings.turns) await cancelTurn(query, { tenant, id }, whyGone(agent));
  if (keys.length > 0)
    await query
      .updateTable("toolwright.api_keys")
      .set({ revoked_at: time })
      .where("tenant", "=", tenant)
      .where("key_id", "in", keys)
      .execute();
  if (grants.length > 0)
    await query
      .updateTable("toolwright.grants")
      .set({ revoked_at: time, revoked_by: JSON.stringify(by) })
      .where("tenant", "=", tenant)
      .where("grant_id", "in", grants)
      .execute();
  await clearMemories(query, { tenant, owner: `agent:${agent}` });
  // Takes its rows of tools and skills along, and its secrets.
  await query.deleteFrom("toolwright.agents").where("tenant", "=", tenant).where("agent", "=", agent).execute();
  return { belongings, changed };
}

/** What follows when the agent is gone: whoever keeps some of it in memory hears of it, and what waits for a person waits no more. */
export async function finishRemoval(
  database: Database,
  { tenant, agent }: AgentName,
  { by, at, belongings, changed }: AgentRemoval & RemovedAgent,
): Promise<void> {
  announceChanges(database, tenant, changed);
  for (const { job, state } of belongings.jobRows) if (state === "running") database.announce({ topic: cancelTopic, tenant, id: job });
  if (belongings.keys.length > 0) announceIdentity(database, tenant);
  if (belongings.secrets > 0) database.announce({ topic: "secrets", tenant, id: "" });
  for (const id of belongings.turns) announceTurn(database, { tenant, id });
  const approvals = createPostgresApprovalStore(database);
  for (const id of belongings.approvals) {
    const outcome = { kind: "deny", message: whyGone(agent) } as const;
    // One that was approved before is used up.
    if (!(await approvals.answer(tenant, id, { outcome, by, at }))) await approvals.claim(tenant, id, at);
  }
}

const whyGone = (agent: string) => `The agent ${agent} was deleted.`;
