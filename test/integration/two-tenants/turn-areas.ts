import type { Area } from "./area.ts";
import { owner, principalOf, type World } from "./open-world.ts";

const at = Date.UTC(2026, 0, 1);
const hello = { role: "user", content: "Hello." };
const usage = { inputTokens: 1 };
const next = { tokens: 5, cost: 0 };
const held = (tenant: string, id: string) => ({ tenant, id, holder: "p1" });

const begin = ({ store }: World, tenant: string, id: string) => {
  const names = { id, conversation: id, agent: "shared", owner: "ann", callId: `call of ${id}` };
  return store.turns.begin({ ...names, tenant, principal: principalOf(tenant), createdAt: at }, hello, { holder: "p1", until: at });
};

/** A turn of a conversation that has its name, with an open step and a message that waits. */
async function make(world: World, tenant: string, id: string): Promise<void> {
  const { sessions, turns, turnStream } = world.store;
  await sessions.create({ tenant, id, owner: "ann", kind: "chat", status: "open", createdAt: at, usedAt: at });
  await begin(world, tenant, id);
  await begin(world, tenant, id);
  await turns.keep(held(tenant, id), { step: 1, response: "One.", settled: [], delivered: [], usage, at });
  await turnStream.add({ tenant, id }, [{ type: "start" }]);
}

async function look({ store: { turns, turnStream } }: World, tenant: string, id: string) {
  const messages = await turns.messages({ tenant, conversation: id });
  return [await turns.get({ tenant, id }), messages, await turns.news(held(tenant, id), next), await turnStream.read({ tenant, id }, 0)];
}

const turns: Area = {
  make,
  look,
  byId: {
    "store.turns.begin": (world, tenant, id) => begin(world, tenant, id).then(({ kind }) => kind),
    "store.turns.get": ({ store }, tenant, id) => store.turns.get({ tenant, id }),
    "store.turns.messages": ({ store }, tenant, conversation) => store.turns.messages({ tenant, conversation }),
    "store.turns.take": ({ store }, tenant, id) => store.turns.take({ tenant, id }, { holder: "p2", until: at + 9 }, at),
    "store.turns.news": ({ store }, tenant, id) => store.turns.news(held(tenant, id), next),
    "store.turns.keep": ({ store }, tenant, id) =>
      store.turns.keep(held(tenant, id), { step: 2, response: "Two.", settled: [hello], delivered: ["1"], usage, at }),
    "store.turns.keepContext": ({ store }, tenant, id) => store.turns.keepContext(held(tenant, id), { spied: true }),
    "store.turns.hold": ({ store }, tenant, id) => store.turns.hold(held(tenant, id), { until: at, usage }),
    "store.turns.wait": ({ store }, tenant, id) => store.turns.wait(held(tenant, id), { waitsFor: ["apr_1"], results: {}, usage: {} }),
    "store.turns.end": ({ store }, tenant, id) =>
      store.turns.end(held(tenant, id), { state: "done", text: "Over.", settled: [hello], usage, at }),
    "store.turns.cancel": ({ store }, tenant, id) => store.turns.cancel({ tenant, id }, "Spied."),
    "store.turnStream.add": ({ store }, tenant, id) => store.turnStream.add({ tenant, id }, [{ type: "spied" }]),
    "store.turnStream.settle": ({ store }, tenant, id) => store.turnStream.settle({ tenant, id }, [{ type: "spied" }]),
    "store.turnStream.read": ({ store }, tenant, id) => store.turnStream.read({ tenant, id }, 0),
    "operations.turns.get": ({ operateOf }, tenant, id) => operateOf(tenant)("turns.get", { id }),
    "operations.turns.cancel": ({ operateOf }, tenant, id) => operateOf(tenant)("turns.cancel", { id }),
    "operations.turns.watch": ({ operateOf }, tenant, id) => operateOf(tenant)("turns.watch", { id }),
    "store.turns.queued": ({ store }, tenant, conversation) => store.turns.queued({ tenant, conversation }),
    "operations.messages.list": ({ operateOf }, tenant, conversation) => operateOf(tenant)("messages.list", { conversation }),
  },
  lists: {
    "store.turns.list": ({ store }, tenant) => store.turns.list(tenant, {}),
    "store.turns.usage": ({ store }, tenant) => store.turns.usage({ tenant, by: "tenant", since: 0 }),
    "operations.usage.models": ({ operateOf }, tenant) => operateOf(tenant)("usage.models", { by: "tenant", since: 0 }),
    "operations.turns.list": ({ operateOf }, tenant) => operateOf(tenant)("turns.list", {}),
  },
};

/** What the tenant hears of while the owner's turn changes. */
async function follow(world: World, tenant: string, id: string): Promise<readonly string[]> {
  const { turns: told } = world.store;
  const heard: string[] = [];
  const last = Promise.withResolvers<void>();
  const mark = `mark of ${id}`;
  const stops = [
    told.follow(tenant, (turn) => void (turn !== undefined && turn !== mark && heard.push(turn))),
    told.follow(owner, (turn) => void (turn === mark && last.resolve())),
  ];
  await told.cancel({ tenant: owner, id }, "Enough.");
  // Announcements come in their order: with this one the others have come.
  await begin(world, owner, mark);
  await last.promise;
  for (const stop of stops) stop();
  return [...new Set(heard)];
}

const turnsToHearOf: Area = {
  make,
  // Following changes a turn of the owner's.
  look: () => undefined,
  byId: { "store.turns.follow": follow },
};

export const turnAreas: readonly Area[] = [turns, turnsToHearOf];
