import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { MANAGE_SESSIONS, RUN_AGENTS } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { personOf } from "../gate/session-access.ts";
import { type Agent, catalogueMissing, cataloguePort, hasAgent } from "../ports/catalogue-store.ts";
import { type RoomRecord, roomEventStates, roomNotFound, roomsPort } from "../ports/rooms.ts";
import { turnsPort } from "../ports/turns.ts";
import { callParts } from "./call-parts.ts";
import { type Answer, defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { actor, listOf, time } from "./json-parts.ts";
import { stopTurns } from "./turns.ts";
import { roomsView, roomView } from "./views/rooms.ts";

const members = {
  id: z.string(),
  tenant: z.string(),
  title: z.string(),
  agent: z.string(),
  agentGone: z.boolean().describe("True when the agent was deleted: events go to people"),
  people: z.array(z.string()).describe("Ids of the people in it; empty: everybody of the tenant who names it may use it"),
  madeBy: actor,
  createdAt: time("When it was made"),
  cycles: z.int().describe("Cycles that have begun"),
  isWorking: z.boolean().describe("True while a cycle is open"),
  conversation: z.string().optional().describe("Session of the last cycle"),
  error: z.string().optional().describe("Why the last cycle did not go well"),
  open: z.int().describe("Events that are queued or in the open cycle"),
  forPerson: z.int().describe("Events that a person is to see to"),
};

const room = z.object(members);

type ListedRoom = Answer<z.output<typeof room>>;

const event = z.object({
  event: z.int().describe("From 1, in its room"),
  text: z.string(),
  by: actor,
  at: time("When it was posted"),
  state: z.enum(roomEventStates),
  missed: z.int().describe("Cycles that ended without it"),
  outcome: z.string().optional().describe("What came of it"),
  closedBy: actor.optional().describe("The person who resolved it"),
  closedAt: time("When it ended").optional(),
});

const message = z.object({
  message: z.int().describe("From 1, in its room"),
  text: z.string(),
  to: z.string().optional().describe("Id of the person that it is for; absent: everybody"),
  at: time("When the agent said it"),
  foreign: callParts.foreignMark.optional(),
});

const opened = z.object({
  ...members,
  events: z.array(event).describe("Those that are open, and the last 100 others"),
  messages: z.array(message).describe("The last 100"),
});

const own = "For the people in the room; with the permission sessions:manage any of the tenant.";
const id = z.string().min(1).max(200);
const line = z.string().trim().min(1).max(200);
const outcome = z.string().max(2_000);

const listRooms = defineOperation({
  name: "rooms.list",
  at: "GET /rooms",
  title: "List rooms",
  description: `Lists rooms, newest first. ${own}`,
  effect: "read",
  needs: [roomsPort, cataloguePort],
  input: z.object({}),
  output: listOf(room),
  shell: { form: "rooms list", about: "List rooms, newest first", store: true },
  view: roomsView,
  async run(_, { principal, ports }) {
    const person = managesAll(principal) ? undefined : (personOf(principal) ?? "");
    const found = await ports.rooms.list(principal.tenant, { person });
    const known = await ports.catalogue.agents.list(principal.tenant);
    return { items: found.map((each) => toListed(each, known)) };
  },
});

const getRoom = defineOperation({
  name: "rooms.get",
  at: "GET /rooms/{id}",
  title: "Get a room",
  description: `Gets a room with its events and what its agent said, newest first. ${own}`,
  effect: "read",
  needs: [roomsPort, cataloguePort],
  input: z.object({ id }),
  output: opened,
  shell: { form: "rooms show <id>", about: "Show a room with its events and what its agent said", store: true },
  view: roomView,
  async run({ id: wanted }, context) {
    const found = await requireRoom(wanted, context);
    const { rooms, catalogue } = context.ports;
    const known = await catalogue.agents.list(found.tenant);
    return { ...toListed(found, known), events: await rooms.events(found), messages: await rooms.messages(found) };
  },
});

export const createRoom = defineOperation({
  name: "rooms.create",
  at: "POST /rooms",
  status: 201,
  title: "Create a room",
  description: `Makes a room, in which an agent works off events with the rights that its maker has then. Needs the permission ${RUN_AGENTS}.`,
  permission: RUN_AGENTS,
  effect: "write",
  needs: [roomsPort, cataloguePort],
  input: z.object({
    title: line,
    agent: z.string().min(1).max(63).describe("Name of the agent that works in it"),
    people: z.array(line).max(100).optional().describe("Ids of the people in it, beside its maker"),
  }),
  output: room,
  shell: {
    form: "rooms create <title>",
    about: "Make a room",
    options: { agent: { flags: "--agent <id>" }, people: { flags: "--people <id...>" } },
  },
  view: { out: "{id}" },
  async run({ title, agent, people = [] }, { principal, parts, ports: { rooms, catalogue } }) {
    const { tenant } = principal;
    const known = await catalogue.agents.list(tenant);
    if (!hasAgent(known, agent)) throw catalogueMissing("agent", agent);
    const made = {
      ...{ tenant, id: parts.ids.next("room"), title, agent, principal, createdAt: parts.clock.now() },
      people: withMaker(principal, people),
    };
    await rooms.create(made);
    return toListed({ ...made, cycles: 0, isWorking: false, open: 0, forPerson: 0 }, known);
  },
});

export const updateRoom = defineOperation({
  name: "rooms.update",
  at: "PATCH /rooms/{id}",
  title: "Change a room",
  description: "Changes the title of a room, and the people in it. For its maker, whose rights its cycles have.",
  effect: "write",
  needs: [roomsPort, cataloguePort],
  input: z.object({
    id,
    title: line.optional(),
    people: z.array(line).max(100).optional().describe("Ids of all people in it, beside its maker"),
  }),
  output: room,
  shell: {
    form: "rooms set <id>",
    about: "Change the title of a room that you made, and the people in it",
    store: true,
    options: {
      title: { about: "the new title" },
      people: { flags: "--people <id...>", about: 'ids of all people in it, beside you; "" for nobody else' },
    },
  },
  view: { note: "The room is changed." },
  async run({ id: wanted, title, people }, context) {
    const { principal, ports } = context;
    const found = await requireRoom(wanted, context);
    if (!isMaker(principal, found)) throw mayNot(principal, "change this room", "its maker");
    await ports.rooms.change(found, { title, people: people && withMaker(found.principal, people) });
    return toListed(await requireRoom(wanted, context), await ports.catalogue.agents.list(found.tenant));
  },
});

export const removeRoom = defineOperation({
  name: "rooms.delete",
  at: "DELETE /rooms/{id}",
  title: "Delete a room",
  description:
    "Deletes a room with its events, and stops what its agent does. For its maker; with the permission sessions:manage any of the tenant.",
  effect: "destructive",
  needs: [roomsPort, turnsPort],
  input: z.object({ id }),
  output: z.object({ deleted: z.string() }),
  shell: { form: "rooms delete <id>", about: "Delete a room with its events, and stop what its agent does" },
  view: { note: "The room is deleted." },
  async run({ id: wanted }, context) {
    const { principal, ports } = context;
    const found = await requireRoom(wanted, context);
    if (!isMaker(principal, found) && !managesAll(principal))
      throw mayNot(principal, "delete this room", "its maker, or somebody with the permission sessions:manage");
    await ports.rooms.remove(found);
    if (found.isWorking && found.conversation !== undefined) await stopTurns(found.conversation, "The room was deleted.", context);
    return { deleted: wanted };
  },
});

export const postEvent = defineOperation({
  name: "rooms.post",
  at: "POST /rooms/{id}/events",
  status: 201,
  title: "Post an event",
  description: `Adds an event to the queue of a room; its agent takes it up with the next cycle. Needs the permission ${RUN_AGENTS}. ${own}`,
  effect: "write",
  needs: [roomsPort],
  input: z.object({ id, message: z.string().trim().min(1).max(20_000).describe("What happened, or what is to be done") }),
  output: event,
  shell: { form: "rooms post <id> <message...>", about: "Add an event to the queue of a room" },
  view: { note: "It is event {event}. See what comes of it: toolwright rooms show{where} {id}" },
  async run({ id: wanted, message: text }, context) {
    const { principal, parts, ports } = context;
    const found = await requireRoom(wanted, context);
    if (!principal.permissions.includes(RUN_AGENTS)) throw mayNot(principal, "post to rooms", `somebody with the permission ${RUN_AGENTS}`);
    const posted = await ports.rooms.post(found, { text, by: principal.actor, at: parts.clock.now() });
    if (!posted) throw roomNotFound(wanted);
    return posted;
  },
});

export const resolveEvent = defineOperation({
  name: "rooms.resolve",
  at: "POST /rooms/{id}/resolve",
  title: "Resolve an event",
  description: `Closes an event that went to people, or that waits for a cycle. ${own}`,
  onlyPeople: true,
  effect: "write",
  needs: [roomsPort],
  input: z.object({ id, event: z.int().min(1), outcome: outcome.optional().describe("What came of it") }),
  output: z.object({ resolved: z.int() }),
  shell: { form: "rooms resolve <id> <event>", about: "Close an event that went to people", store: true },
  view: { note: "Event {resolved} is closed." },
  async run({ id: wanted, event: number, outcome: words }, context) {
    const { principal, parts, ports } = context;
    const found = await requireRoom(wanted, context);
    const ended = { event: number, by: principal.actor, at: parts.clock.now(), ...(words !== undefined && { outcome: words }) };
    if (await ports.rooms.resolve(found, ended)) return { resolved: number };
    throw new ToolwrightError(
      "room_not_found",
      `The room has no event ${number} that a person can resolve now. See its events with rooms.get.`,
    );
  },
});

function toListed({ principal, ...rest }: RoomRecord, known: readonly Pick<Agent, "agent">[]): ListedRoom {
  return { ...rest, madeBy: principal.actor, agentGone: !hasAgent(known, rest.agent) };
}

function isMaker({ actor: { kind, id: who } }: Principal, { principal: { actor: maker } }: RoomRecord): boolean {
  return maker.kind === kind && maker.id === who;
}

/** Without anybody, everybody of the tenant who names the room may use it. */
function withMaker(principal: Principal, people: readonly string[]): readonly string[] {
  const maker = personOf(principal);
  return [...new Set([...(maker === undefined ? [] : [maker]), ...people])];
}

const managesAll = ({ permissions, delegated }: Principal) => !delegated && permissions.includes(MANAGE_SESSIONS);

/** Rejects with `room_not_found` for one that there is not, and for other people's. */
async function requireRoom(
  wanted: string,
  { principal, ports }: Pick<OperationContext<typeof roomsPort>, "ports" | "principal">,
): Promise<RoomRecord> {
  const found = await ports.rooms.get({ tenant: principal.tenant, id: wanted });
  const person = personOf(principal);
  const isIn = found && (found.people.length === 0 || (person !== undefined && found.people.includes(person)));
  if (found && (isIn || managesAll(principal))) return found;
  throw roomNotFound(wanted);
}

function mayNot({ actor: { kind, id: who } }: Principal, what: string, ask: string): ToolwrightError {
  return new ToolwrightError("operation_not_allowed", `The ${kind} ${JSON.stringify(who)} may not ${what}. Ask ${ask}.`);
}

export const roomsSubject = defineSubject({
  name: "rooms",
  errors: {
    room_not_found: { kind: "missing", means: "There is no such room, or event of it, for this principal." },
  },
  store: [roomsPort],
  tools: "rooms",
  loops: [{ name: "rooms", about: "has agents work off what was posted to rooms" }],
  shell: {
    rooms: {
      about: "Rooms: an agent, people, and events that the agent works off",
      notes: "The agent takes events up by itself, where a server or a worker runs, with the rights of who made the room.",
      examples: [
        "rooms create Orders --agent assistant --people bob",
        "rooms post room_81f2 'Order 4711 was paid.'",
        "rooms set room_81f2 --people bob eve",
        "rooms resolve room_81f2 1 --outcome 'Done by phone.'",
      ],
    },
  },
  operations: [listRooms, getRoom, createRoom, updateRoom, postEvent, resolveEvent, removeRoom],
});
