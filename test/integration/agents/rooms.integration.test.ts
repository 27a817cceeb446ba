import { roomTools, startRooms, workRoom } from "@toolwright/agents";
import type { Engine, Principal } from "@toolwright/engine";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { ann, call, outputOf, personAt, World } from "./agents-world.ts";

let world: World;
let engine: Engine;
const open = async (...script: ScriptedAnswer[]) => {
  world = await World.open(script);
  engine = world.start({ tools: roomTools });
};
beforeEach(() => {
  made = "";
});
afterEach(() => world.close());

const asAnn: Principal = { ...ann, door: "rest" };
const bob: Principal = { ...asAnn, actor: { kind: "user", id: "bob" } };
let made = "";
const ref = () => ({ tenant: "acme", id: made });
const makeRoom = async (who = asAnn) => {
  const room = await engine.operate(who, "rooms.create", { title: "Orders", agent: "assistant", people: ["bob"] });
  made = room.id;
};
const post = (message: string, who = asAnn) => engine.operate(who, "rooms.post", { id: made, message });
const look = (who = asAnn) => engine.operate(who, "rooms.get", { id: made });
const states = async () => (await look()).events.map(({ event, state }) => `${event} ${state}`).reverse();
const work = (at = engine) => workRoom(ref(), world.workParts(at));
const complete = (event: number, outcome?: string) => ({
  name: "room_event_complete",
  input: { event, ...(outcome !== undefined && { outcome }) },
});
const tell = (message: string, to?: string) => ({ name: "room_send_to_human", input: { message, ...(to !== undefined && { to }) } });
const requestOf = (index: number) => world.model.requests.at(index);
const toolsOf = (index: number) => requestOf(index)?.tools?.map(({ function: { name } }) => name) ?? [];
const roomToolsOf = (index: number) => toolsOf(index).filter((name) => name.startsWith("room_"));
const saidIn = (index: number) => requestOf(index)?.messages.map(({ role, content }) => `${role}: ${String(content)}`) ?? [];

describe("a cycle of a room", () => {
  it("gives the agent its events and the tools of rooms, which nobody else has", async () => {
    await open([complete(1, "Sent."), tell("Done.", "bob"), complete(9), tell("Hm.", "eve")], "All done.", "Hello.");
    await makeRoom();
    await post("Send the invoice.");
    await post("And this.", bob);
    await work();
    expect(await states()).toEqual(["1 done", "2 queued"]);
    const { events, messages, isWorking, cycles, error } = await look(bob);
    expect(events[1]).toMatchObject({ outcome: "Sent.", missed: 0 });
    expect(messages).toEqual([{ message: 1, text: "Done.", to: "bob", at: expect.any(Number) }]);
    expect([isWorking, cycles, error]).toEqual([false, 1, undefined]);
    expect(saidIn(0).at(-1)).toMatch(
      /Event 1, from ann, who is in the room, .*\n--- (\w+) begins ---\nSend the invoice\.\n--- \1 ends ---/,
    );
    expect(world.toolMessages().slice(2)).toEqual([expect.stringContaining("no event 9"), expect.stringContaining("In it: ann, bob")]);
    expect(roomToolsOf(0)).toEqual(["room_compact_history", "room_event_complete", "room_post", "room_send_to_human"]);
    outputOf(await personAt(engine).invokeNamed("agent_run", { agent: "assistant", message: "Hi." }));
    expect(roomToolsOf(-1)).toEqual(["room_post"]);
    expect(
      personAt(engine)
        .list()
        .map(({ name }) => name),
    ).not.toContain("room_send_to_human");
    expect(await personAt(engine).invokeNamed("room_event_complete", { event: 2 })).toMatchObject({ error: { code: "tool_not_found" } });
  });

  it("leaves what it does not complete to the next two, and then to a person, who resolves it", async () => {
    await open("Later.", "Later.", "Later.");
    await makeRoom();
    await post("Send the invoice.");
    for (const state of ["queued", "queued", "for_person"]) {
      await work();
      expect(await states()).toEqual([`1 ${state}`]);
    }
    expect(saidIn(-1).at(-1)).toContain("Event 1, try 3 of 3, from ann");
    expect(saidIn(-1)).toHaveLength(1 + 2 * 2 + 1);
    await work();
    expect(world.model.requests).toHaveLength(3);
    await engine.operate(bob, "rooms.resolve", { id: made, event: 1, outcome: "By phone." });
    expect((await look()).events).toMatchObject([{ state: "resolved", outcome: "By phone.", closedBy: { id: "bob" } }]);
    await expect(engine.operate(bob, "rooms.resolve", { id: made, event: 1 })).rejects.toMatchObject({ code: "room_not_found" });
  });

  it("goes on in one conversation until the agent writes down what it was about", async () => {
    const compact = { name: "room_compact_history", input: { summary: "Order 4711 is paid." } };
    await open([complete(1)], "One.", [compact, complete(2)], "Two.", [complete(3)], "Three.");
    await makeRoom();
    for (const text of ["One.", "Two.", "Three."]) {
      await post(text);
      await work();
    }
    expect(saidIn(2).length).toBeGreaterThan(4);
    expect(saidIn(4)).toHaveLength(2);
    expect(saidIn(4)[1]).toMatch(/^user: What you wrote down of earlier cycles:\n\nOrder 4711 is paid\.\n\nThis is cycle 3/);
    expect(await states()).toEqual(["1 done", "2 done", "3 done"]);
  });

  it("waits where the policy asks, for a person of the conversation", async () => {
    await open([call("pay", "4711")], [complete(1)], "Paid.");
    await makeRoom();
    await post("Pay it.");
    await work();
    expect(await look()).toMatchObject({ isWorking: true, events: [{ state: "taken" }] });
    const [asked] = await personAt(engine).approvals();
    const person = personAt(world.start({ tools: roomTools }));
    await person.answer(asked?.record.id ?? "", { kind: "approve" });
    await engine.resumeDue({ limit: 9 });
    expect(world.did).toEqual(["pay 4711"]);
    await world.clock.advance(15_000);
    await work();
    expect(await look()).toMatchObject({ isWorking: false, events: [{ state: "done" }] });
    expect(world.model.requests).toHaveLength(3);
  });

  it("gives a sub-agent nothing of the room", async () => {
    await open([{ name: "task_spawn", input: { task: "Look it up." } }], "Found.", [complete(1)], "Done.");
    await makeRoom();
    await post("Look it up.");
    await work();
    expect(await states()).toEqual(["1 done"]);
    expect([roomToolsOf(0).length, roomToolsOf(1)]).toEqual([4, []]);
  });

  it("acts with the rights that its maker has now", async () => {
    await open();
    await makeRoom();
    await post("Pay it.");
    const lost = { ...world.workParts(engine), standingOf: async () => ({ gone: "The user ann is no member of tenant acme any more." }) };
    const without = { ...lost, standingOf: async (principal: Principal) => ({ principal: { ...principal, permissions: [] } }) };
    await workRoom(ref(), without);
    expect(await look()).toMatchObject({ open: 1 });
    await workRoom(ref(), lost);
    expect(await look()).toMatchObject({ error: "The user ann is no member of tenant acme any more.", forPerson: 1 });
    expect(world.model.requests).toEqual([]);
  });

  it("that a person stops hands its events to people at once", async () => {
    await open([call("slow", "a")]);
    await makeRoom();
    await post("Wait.");
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const working = work();
    await slow;
    const [turn] = await world.turns.list("acme", {});
    await engine.operate(asAnn, "turns.cancel", { id: turn?.id ?? "", reason: "Not today." });
    await working;
    expect(await look()).toMatchObject({ error: "Not today.", forPerson: 1 });
  });

  it("ends with its room when that is deleted", async () => {
    await open([call("slow", "a")]);
    await makeRoom();
    await post("Wait.");
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const working = work();
    await slow;
    await expect(engine.operate(bob, "rooms.delete", { id: made })).rejects.toMatchObject({ code: "operation_not_allowed" });
    await engine.operate(asAnn, "rooms.delete", { id: made });
    await working;
    expect(await world.turns.list("acme", {})).toMatchObject([{ state: "cancelled", cancelReason: "The room was deleted." }]);
    await expect(look()).rejects.toMatchObject({ code: "room_not_found" });
  });
});

describe("a room", () => {
  it("is changed by its maker, whose rights its cycles have, and by nobody else", async () => {
    await open();
    await makeRoom();
    const update = (who: Principal, changes: object) => engine.operate(who, "rooms.update", { id: made, ...changes });
    expect(await update(asAnn, { title: "Orders of today", people: ["eve"] })).toMatchObject({
      title: "Orders of today",
      people: ["ann", "eve"],
    });
    expect(await update(asAnn, { title: "Orders" })).toMatchObject({ title: "Orders", people: ["ann", "eve"] });
    const eve: Principal = { ...asAnn, actor: { kind: "user", id: "eve" } };
    const manager = { ...bob, permissions: ["agents:run", "sessions:manage"] };
    for (const who of [eve, manager])
      await expect(update(who, { people: [who.actor.id] })).rejects.toMatchObject({ code: "operation_not_allowed" });
    for (const who of [bob, { ...asAnn, tenant: "other" }])
      await expect(update(who, { title: "Mine" })).rejects.toMatchObject({ code: "room_not_found" });
  });

  it("whose agent is gone hands its events to people at once, until there is one of that name again", async () => {
    await open([complete(2)], "Done.");
    const sales = { agent: "sales", name: "Sales" };
    const manager = { ...asAnn, permissions: ["agents:run", "catalogue:manage"] };
    for (const agent of [sales, { ...sales, agent: "other" }]) await engine.operate(manager, "agents.create", agent);
    await expect(engine.operate(asAnn, "rooms.create", { title: "Orders", agent: "assistant" })).rejects.toMatchObject({
      code: "catalogue_not_found",
    });
    const { id, agentGone } = await engine.operate(asAnn, "rooms.create", { title: "Orders", agent: "sales" });
    made = id;
    await post("One.");
    expect(agentGone).toBe(false);
    expect(await engine.operate(manager, "agents.remove", { agent: "sales" })).toMatchObject({ removed: { rooms: [id] } });
    await work();
    expect(await look()).toMatchObject({ agentGone: true, forPerson: 1, cycles: 1, error: expect.stringContaining("sales") });
    expect((await engine.operate(asAnn, "rooms.list", {})).items).toMatchObject([{ agentGone: true }]);
    await engine.operate(manager, "agents.create", sales);
    await post("Two.");
    await work();
    expect(await look()).toMatchObject({ agentGone: false, forPerson: 1 });
    expect(await states()).toEqual(["1 for_person", "2 done"]);
  });
});

describe("a process that works off rooms", () => {
  const whenIdle = (count: number) =>
    new Promise<void>((resolve) => {
      const stop = world.turns.follow("acme", async () => {
        if ((await world.turns.list("acme", { states: ["done"] })).length < count) return;
        stop();
        resolve();
      });
    });

  it("begins a cycle with the first event that is posted, and others for what was posted meanwhile", async () => {
    await open([complete(1)], "One.", [complete(2)], "Two.");
    await makeRoom();
    const stop = startRooms(world.workParts(engine));
    const idle = whenIdle(2);
    await post("One.");
    await post("Two.");
    await idle;
    stop();
    expect(await states()).toEqual(["1 done", "2 done"]);
  });

  it("makes the call of a cycle again whose process died before it", async () => {
    await open([complete(1)], "One.");
    await makeRoom();
    await post("One.");
    const died = Promise.withResolvers<void>();
    const standingOf = () => {
      died.resolve();
      return new Promise<never>(() => {});
    };
    void workRoom(ref(), { ...world.workParts(engine), standingOf });
    await died.promise;
    expect(await states()).toEqual(["1 taken"]);
    await work();
    expect(await states()).toEqual(["1 taken"]);
    await world.clock.advance(15_000);
    await work();
    expect(await states()).toEqual(["1 done"]);
    expect((await look()).cycles).toBe(1);
  });
});

describe("room_post", () => {
  const place = () => ({ room: made, message: "Order 4711 was paid." });

  it("adds events for people of the room, and for nobody else or in another room's cycle", async () => {
    await open([{ name: "room_post", input: { room: "room_1", message: "Round and round." } }, tell("Hello.")], "Refused.");
    await makeRoom();
    expect(await personAt(engine).invokeNamed("room_post", place())).toMatchObject({ status: "done", output: { event: 1 } });
    const stranger = engine.scope({ ...asAnn, actor: { kind: "user", id: "eve" } });
    expect(await stranger.invokeNamed("room_post", place())).toMatchObject({ error: { code: "room_not_found" } });
    const foreign = engine.scope({ ...asAnn, tenant: "other" });
    expect(await foreign.invokeNamed("room_post", place())).toMatchObject({ error: { code: "room_not_found" } });
    const child = engine.scope(asAnn).child({ agent: "helper" });
    expect(await child.invokeNamed("room_post", place())).toMatchObject({ status: "done", output: { event: 2 } });
    const mark = { kind: "web", place: "https://evil.example/", callId: "call_1", tool: "web_fetch", at: 1 } as const;
    await world.foreign.add({ tenant: "acme", id: "reading" }, [mark]);
    const reading = engine.scope(asAnn, { session: "reading" });
    expect(await reading.invokeNamed("room_post", { ...place(), room: "room_2" })).toMatchObject({ status: "failed" });
    expect(await reading.invokeNamed("room_post", place())).toMatchObject({ status: "done" });
    await work();
    expect(world.toolMessages()).toEqual([
      expect.stringContaining("posts nothing while it works in a room"),
      expect.stringContaining("It was sent."),
    ]);
    // What a poster had read counts for the room's agent.
    const [turn] = await world.turns.list("acme", { limit: 1 });
    expect(await world.foreign.of("acme", [turn?.conversation ?? ""])).toMatchObject([{ place: mark.place, callId: "call_1" }]);
    expect(await world.foreign.of("acme", ["room_2"])).toEqual([]);
    expect((await look()).messages).toMatchObject([{ text: "Hello.", foreign: { place: mark.place, callId: "call_1" } }]);
  });
});
