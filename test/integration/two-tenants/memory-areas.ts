import type { MemoryOwner, NewMemory } from "@toolwright/engine/ports";
import type { Area } from "./area.ts";
import { principalOf, type World } from "./open-world.ts";

const at = Date.UTC(2026, 0, 1);
const by = principalOf("acme").actor;
/** Of the same name in both tenants. */
const ownerIn = (tenant: string): MemoryOwner => ({ tenant, owner: `${by.kind}:${by.id}` });

function make({ store }: World, tenant: string, key: string, content = key) {
  const index = { folded: content, names: content, language: "english" };
  const memory: NewMemory = { key, content, category: "core", trust: "person", sources: [], savedAt: at, by, index };
  return store.memories.save(ownerIn(tenant), memory);
}

const asking = (folded: string) => ({ words: [folded], codes: [], folded, language: "english", now: at });

const memories: Area = {
  make,
  look: ({ store }, tenant, key) => store.memories.get(ownerIn(tenant), key, at),
  byId: {
    "store.memories.save": (world, tenant, key) => make(world, tenant, key, "spied"),
    "store.memories.get": ({ store }, tenant, key) => store.memories.get(ownerIn(tenant), key, at),
    "store.memories.forget": ({ store }, tenant, key) => store.memories.forget(ownerIn(tenant), key),
    "store.memories.search": async ({ store }, tenant, key) => [...(await store.memories.search(ownerIn(tenant), asking(key))).items],
    "operations.memories.show": ({ operateOf }, tenant, key) => operateOf(tenant)("memories.show", { key }),
    "operations.memories.save": ({ operateOf }, tenant, key) => operateOf(tenant)("memories.save", { key, content: "spied" }),
    "operations.memories.remove": ({ operateOf }, tenant, key) => operateOf(tenant)("memories.remove", { key }),
    "operations.memories.import": ({ operateOf }, tenant, key) =>
      operateOf(tenant)("memories.import", { items: [{ key, content: "spied", category: "core" }] }),
  },
  lists: {
    "store.memories.list": ({ store }, tenant) => store.memories.list(ownerIn(tenant), { limit: 500, now: at }),
    "store.memories.owners": ({ store }, tenant) => store.memories.owners(tenant),
    "store.memories.clear": ({ store }, tenant) => store.memories.clear(ownerIn(tenant)),
    "operations.memories.list": ({ operateOf }, tenant) => operateOf(tenant)("memories.list", { limit: 500 }),
    "operations.memories.owners": ({ operateOf }, tenant) => operateOf(tenant)("memories.owners", {}),
  },
};

export const memoryAreas: readonly Area[] = [memories];
