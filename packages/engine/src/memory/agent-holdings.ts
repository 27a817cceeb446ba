import type { ApprovalStore } from "../ports/approval-store.ts";
import { type AgentBelongings, type AgentName, type AgentRemoval, actsAs } from "../ports/catalogue-store.ts";
import type { GrantStore } from "../ports/grant-store.ts";
import type { IdentityAdmin } from "../ports/identity-admin.ts";
import type { MemoryStore } from "../ports/memory-store.ts";
import type { Rooms } from "../ports/rooms.ts";
import type { SecretAdmin } from "../ports/secret-admin.ts";
import type { Turns } from "../ports/turns.ts";

/** Stores in which an agent may have something. */
export interface AgentHoldings {
  readonly approvals?: ApprovalStore;
  readonly grants?: GrantStore;
  readonly secrets?: SecretAdmin;
  readonly identity?: Pick<IdentityAdmin, "listApiKeys" | "revokeApiKey">;
  readonly turns?: Turns;
  readonly rooms?: Pick<Rooms, "list">;
  readonly memories?: MemoryStore;
}

type Held = Omit<AgentBelongings, "tools" | "skills">;

export async function findHoldings(
  { approvals, grants, secrets, identity, turns, rooms, memories }: AgentHoldings,
  { tenant, agent, at }: AgentName & { readonly at: number },
): Promise<Held> {
  const waiting = (await approvals?.list(tenant, { usableAt: at })) ?? [];
  const live = (await grants?.list(tenant, { liveAt: at })) ?? [];
  const keys = (await identity?.listApiKeys(tenant)) ?? [];
  const set = (await secrets?.list(tenant)) ?? [];
  const open = (await turns?.list(tenant, { agent, states: ["running", "waiting"], limit: 500 })) ?? [];
  const working = (await rooms?.list(tenant, {})) ?? [];
  const remembered = (await memories?.owners(tenant)) ?? [];
  return {
    schedules: [],
    hooks: [],
    jobs: [],
    keys: keys.filter((key) => key.agent === agent && key.revokedAt === undefined).map(({ id }) => id),
    grants: live
      .filter(({ record: { scope } }) => scope.kind !== "tenant" && scope.holder === `agent ${agent}`)
      .map(({ record }) => record.id),
    approvals: waiting.filter(({ record }) => actsAs(record.principal, agent)).map(({ record }) => record.id),
    turns: open.map(({ id }) => id),
    rooms: working.filter((room) => room.agent === agent).map(({ id }) => id),
    secrets: set.filter((each) => each.agent === agent).length,
    memories: remembered.find(({ owner }) => owner === `agent:${agent}`)?.count ?? 0,
  };
}

export async function removeHoldings(
  { approvals, grants, secrets, identity, turns, memories }: AgentHoldings,
  { tenant, agent }: AgentName,
  { by, at, gone }: AgentRemoval & { readonly gone: Held },
): Promise<void> {
  for (const id of gone.keys) await identity?.revokeApiKey(tenant, id);
  for (const id of gone.grants) await grants?.revoke(tenant, id, { by, at });
  for (const secret of (await secrets?.list(tenant)) ?? []) if (secret.agent === agent) await secrets?.remove(secret);
  await memories?.clear({ tenant, owner: `agent:${agent}` });
  const message = `The agent ${agent} was deleted.`;
  for (const id of gone.turns) await turns?.cancel({ tenant, id }, message);
  const outcome = { kind: "deny", message } as const;
  for (const id of gone.approvals) {
    // One that was approved before is used up.
    if (!(await approvals?.answer(tenant, id, { outcome, by, at }))) await approvals?.claim(tenant, id, at);
  }
}
