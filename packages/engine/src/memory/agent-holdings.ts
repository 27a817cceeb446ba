import type { ApprovalStore } from "../ports/approval-store.ts";
import { type AgentBelongings, type AgentName, type AgentRemoval, actsAs } from "../ports/catalogue-store.ts";
import type { GrantStore } from "../ports/grant-store.ts";
import type { IdentityAdmin } from "../ports/identity-admin.ts";
import type { SecretAdmin } from "../ports/secret-admin.ts";

/** Stores in which an agent may have something. */
export interface AgentHoldings {
  readonly approvals?: ApprovalStore;
  readonly grants?: GrantStore;
  readonly secrets?: SecretAdmin;
  readonly identity?: Pick<IdentityAdmin, "listApiKeys" | "revokeApiKey">;
}

type Held = Omit<AgentBelongings, "tools" | "skills">;

export async function findHoldings(
  { approvals, grants, secrets, identity }: AgentHoldings,
  { tenant, agent, at }: AgentName & { readonly at: number },
): Promise<Held> {
  const waiting = (await approvals?.list(tenant, { usableAt: at })) ?? [];
  const live = (await grants?.list(tenant, { liveAt: at })) ?? [];
  const keys = (await identity?.listApiKeys(tenant)) ?? [];
  const set = (await secrets?.list(tenant)) ?? [];
  return {
    schedules: [],
    jobs: [],
    keys: keys.filter((key) => key.agent === agent && key.revokedAt === undefined).map(({ id }) => id),
    grants: live
      .filter(({ record: { scope } }) => scope.kind !== "tenant" && scope.holder === `agent ${agent}`)
      .map(({ record }) => record.id),
    approvals: waiting.filter(({ record }) => actsAs(record.principal, agent)).map(({ record }) => record.id),
    secrets: set.filter((each) => each.agent === agent).length,
  };
}

export async function removeHoldings(
  { approvals, grants, secrets, identity }: AgentHoldings,
  { tenant, agent }: AgentName,
  { by, at, gone }: AgentRemoval & { readonly gone: Held },
): Promise<void> {
  for (const id of gone.keys) await identity?.revokeApiKey(tenant, id);
  for (const id of gone.grants) await grants?.revoke(tenant, id, { by, at });
  for (const secret of (await secrets?.list(tenant)) ?? []) if (secret.agent === agent) await secrets?.remove(secret);
  const outcome = { kind: "deny", message: `The agent ${agent} was deleted.` } as const;
  for (const id of gone.approvals) {
    // One that was approved before is used up.
    if (!(await approvals?.answer(tenant, id, { outcome, by, at }))) await approvals?.claim(tenant, id, at);
  }
}
