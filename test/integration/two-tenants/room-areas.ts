import type { Area } from "./area.ts";
import { principalOf, type World } from "./open-world.ts";

const at = Date.UTC(2026, 0, 1);
const by = { kind: "user", id: "ann" } as const;
const later = { conversation: "elsewhere", now: at + 10, until: at + 20 };

const create = ({ store }: World, tenant: string, id: string) =>
  store.rooms.create({ tenant, id, title: "Orders", agent: "shared", principal: principalOf(tenant), people: ["ann"], createdAt: at });

/** A room in whose open cycle is one event, in a conversation of its name; another event waits. */
async function make(world: World, tenant: string, id: string): Promise<void> {
  const { rooms } = world.store;
  const ref = { tenant, id };
  await create(world, tenant, id);
  await rooms.post(ref, { text: "One.", by, at });
  await rooms.take(ref, { conversation: id, now: at, until: at + 1 });
  await rooms.post(ref, { text: "Two.", by, at });
  await rooms.say(ref, {
    text: "Hello.",
    at,
    foreign: { kind: "web", place: `https://${tenant}.example/${id}`, callId: id, tool: "web_fetch", at },
  });
}

async function look({ store: { rooms } }: World, tenant: string, id: string) {
  const ref = { tenant, id };
  const room = await rooms.get(ref);
  const due = await rooms.due({ now: at + 99, limit: 99 });
  return [room, await rooms.events(ref), await rooms.messages(ref), due.filter((each) => each.tenant === tenant && each.id === id)];
}

const rooms: Area = {
  make,
  look,
  byId: {
    "store.rooms.create": create,
    "store.rooms.get": ({ store }, tenant, id) => store.rooms.get({ tenant, id }),
    "store.rooms.change": ({ store }, tenant, id) => store.rooms.change({ tenant, id }, { title: "Spied." }),
    "store.rooms.remove": ({ store }, tenant, id) => store.rooms.remove({ tenant, id }),
    "store.rooms.post": ({ store }, tenant, id) => store.rooms.post({ tenant, id }, { text: "Spied.", by, at }),
    "store.rooms.events": ({ store }, tenant, id) => store.rooms.events({ tenant, id }),
    "store.rooms.messages": ({ store }, tenant, id) => store.rooms.messages({ tenant, id }),
    "store.rooms.take": ({ store }, tenant, id) => store.rooms.take({ tenant, id }, later),
    "store.rooms.endCycle": ({ store }, tenant, id) => store.rooms.endCycle({ tenant, id }, { cycle: 1, at }),
    "store.rooms.working": ({ store }, tenant, conversation) => store.rooms.working(tenant, conversation),
    "store.rooms.complete": ({ store }, tenant, id) => store.rooms.complete({ tenant, id }, { event: 1, at }),
    "store.rooms.say": ({ store }, tenant, id) => store.rooms.say({ tenant, id }, { text: "Spied.", at }),
    "store.rooms.compact": ({ store }, tenant, id) => store.rooms.compact({ tenant, id }, "Spied."),
    "store.rooms.resolve": ({ store }, tenant, id) => store.rooms.resolve({ tenant, id }, { event: 2, by, at }),
    "operations.rooms.get": ({ operateOf }, tenant, id) => operateOf(tenant)("rooms.get", { id }),
    "operations.rooms.post": ({ operateOf }, tenant, id) => operateOf(tenant)("rooms.post", { id, message: "Spied." }),
    "operations.rooms.resolve": ({ operateOf }, tenant, id) => operateOf(tenant)("rooms.resolve", { id, event: 2 }),
    "operations.rooms.update": ({ operateOf }, tenant, id) => operateOf(tenant)("rooms.update", { id, title: "Spied." }),
    "operations.rooms.delete": ({ operateOf }, tenant, id) => operateOf(tenant)("rooms.delete", { id }),
  },
  lists: {
    "store.rooms.list": ({ store }, tenant) => store.rooms.list(tenant, {}),
    "operations.rooms.list": ({ operateOf }, tenant) => operateOf(tenant)("rooms.list", {}),
  },
};

/** Agents are named by their tenants. */
const agentsOfRooms: Area = {
  make: ({ store }, tenant, agent) =>
    store.catalogue.agents.create(tenant, { agent, name: "Sales", features: {}, restricted: false, acceptsAgents: false }),
  look: () => undefined,
  byId: {
    "operations.rooms.create (with an agent)": async ({ operateOf }, tenant, agent) =>
      (await operateOf(tenant)("rooms.create", { title: "Orders", agent })).agent,
  },
};

export const roomAreas: readonly Area[] = [rooms, agentsOfRooms];
