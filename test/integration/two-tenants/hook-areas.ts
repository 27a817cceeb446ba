import type { Area } from "./area.ts";
import { principalOf, type World } from "./open-world.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const idOf = (name: string) => `hook_${name}`;

const add = ({ store }: World, tenant: string, { name, id = idOf(name) }: { readonly name: string; readonly id?: string }) =>
  store.hooks.add({
    tenant,
    id,
    name,
    agent: "shared",
    channel: "log",
    secret: "SHARED_HOOK",
    principal: principalOf(tenant),
    createdAt: 0,
  });
const list = ({ store }: World, tenant: string) => store.hooks.list(tenant);

const hooks: Area = {
  make: (world, tenant, name) => add(world, tenant, { name }).then(() => idOf(name)),
  look: list,
  byId: {
    "store.hooks.remove": ({ store }, tenant, id) => store.hooks.remove({ tenant, id }),
    "operations.hooks.remove (by its id)": ({ operateOf }, tenant, id) => operateOf(tenant)("hooks.remove", { hook: id }),
  },
  lists: {
    "store.hooks.list": list,
    "operations.hooks.list": ({ operateOf }, tenant) => operateOf(tenant)("hooks.list", {}),
  },
};

const hooksByName: Area = {
  make: (world, tenant, name) => add(world, tenant, { name }).then(() => name),
  look: list,
  byId: {
    "store.hooks.add": (world, tenant, name) => add(world, tenant, { name, id: `${idOf(name)}_of_${tenant}` }),
    "operations.hooks.create": async ({ operateOf, secrets }, tenant, name) => {
      await secrets.set({ tenant, name: "SHARED_HOOK" }, secret);
      return operateOf(tenant)("hooks.create", { name, agent: "shared", secret: "SHARED_HOOK" });
    },
    "operations.hooks.remove (by its name)": ({ operateOf }, tenant, hook) => operateOf(tenant)("hooks.remove", { hook }),
  },
};

export const hookAreas: readonly Area[] = [hooks, hooksByName];
