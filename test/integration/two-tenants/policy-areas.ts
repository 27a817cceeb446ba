import type { Area } from "./area.ts";
import type { World } from "./open-world.ts";

const revisionOf = ({ store }: World, tenant: string) => store.policies.current(tenant)?.revision ?? 0;
const documentOf = (name: string) => ({ tools: { deny: [`tool_${name}`] } });

function put(world: World, tenant: string, note: string) {
  const version = { tenant, document: documentOf(note), author: { kind: "user", id: "ann" }, note, at: 1 } as const;
  return world.store.policies.put({ ...version, read: revisionOf(world, tenant) });
}

/** Revisions count in each tenant, so no identifier is one of another tenant alone. */
const policies: Area = {
  make: (world, tenant, name) => put(world, tenant, name).then(() => name),
  look: ({ store }, tenant) => store.policies.list(tenant),
  lists: {
    "store.policies.current": ({ store }, tenant) => store.policies.current(tenant),
    "store.policies.find": (world, tenant) => world.store.policies.find(tenant, revisionOf(world, tenant)),
    "store.policies.list": ({ store }, tenant) => store.policies.list(tenant),
    "store.policies.put": (world, tenant) => put(world, tenant, "Spied").then(() => undefined),
    "operations.policy.current": ({ operateOf }, tenant) => operateOf(tenant)("policy.current", {}),
    "operations.policy.versions": ({ operateOf }, tenant) => operateOf(tenant)("policy.versions", {}),
    "operations.policy.diff": (world, tenant) => world.operateOf(tenant)("policy.diff", { from: 0, to: revisionOf(world, tenant) }),
    "operations.policy.put": (world, tenant) =>
      world
        .operateOf(tenant)("policy.put", { document: documentOf("spied"), read: revisionOf(world, tenant), note: "Spied" })
        .then(() => undefined),
    "operations.policy.revert": (world, tenant) =>
      world
        .operateOf(tenant)("policy.revert", { revision: 0, read: revisionOf(world, tenant), note: "Spied" })
        .then(() => undefined),
  },
};

export const policyAreas: readonly Area[] = [policies];
