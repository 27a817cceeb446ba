import type { OperationTypes } from "@toolwright/engine/operations";
import { visibleText } from "@toolwright/engine/ports";
import { oneLine } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { renderTable } from "../../output/table.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { tellResult } from "../context/tell-result.ts";
import type { TenantOptions } from "../context/with-store.ts";

type RoomOptions = TenantOptions & RemoteOptions;
type Room = OperationTypes["rooms.get"]["output"];

export function list(io: Io, options: RoomOptions): Promise<number> {
  return tellResult(
    io,
    options,
    async (operate) => (await operate("rooms.list", {})).items,
    (items) => {
      if (items.length === 0) io.out("There are no rooms. Make one with: toolwright rooms create Orders --agent assistant\n");
      else io.out(`${renderTable(["id", "title", "agent", "open", "for people", "cycles"], items.map(toRow), io.columns)}\n`);
    },
  );
}

export function show(io: Io, options: RoomOptions, [id = ""]: readonly string[]): Promise<number> {
  return tellResult(
    io,
    options,
    (operate) => operate("rooms.get", { id }),
    (room) => io.out(`${visibleText(describe(room))}\n`),
  );
}

export interface CreateOptions extends TenantOptions, RemoteOptions {
  readonly agent: string;
  readonly people?: readonly string[];
}

export function create(io: Io, { agent, people, ...options }: CreateOptions, [title = ""]: readonly string[]): Promise<number> {
  return tellResult(
    io,
    options,
    (operate) => operate("rooms.create", { title, agent, people: people && [...people] }),
    ({ id }) => io.out(`${id}\n`),
  );
}

export interface SetOptions extends TenantOptions, RemoteOptions {
  readonly title?: string;
  readonly people?: readonly string[];
}

export function set(io: Io, { title, people, ...options }: SetOptions, [id = ""]: readonly string[]): Promise<number> {
  if (title === undefined && people === undefined) throw new CliError("Nothing is to be changed. Name it with --title or --people.");
  return tellResult(
    io,
    options,
    (operate) => operate("rooms.update", { id, title, people: people?.filter((each) => each !== "") }),
    () => io.err("The room is changed.\n"),
  );
}

export function post(io: Io, options: RoomOptions, [id = "", ...words]: readonly string[]): Promise<number> {
  return tellResult(
    io,
    options,
    (operate) => operate("rooms.post", { id, message: words.join(" ") }),
    ({ event }) => io.err(`It is event ${event}. See what comes of it: toolwright rooms show${describeWhereabouts(options)} ${id}\n`),
  );
}

export interface ResolveOptions extends TenantOptions, RemoteOptions {
  readonly outcome?: string;
}

export function resolve(io: Io, { outcome, ...options }: ResolveOptions, [id = "", event = ""]: readonly string[]): Promise<number> {
  if (!/^[1-9]\d{0,8}$/.test(event)) throw new CliError(`${JSON.stringify(event)} is no number of an event.`);
  return tellResult(
    io,
    options,
    (operate) => operate("rooms.resolve", { id, event: Number(event), outcome }),
    () => io.err(`Event ${event} is closed.\n`),
  );
}

export function remove(io: Io, options: RoomOptions, [id = ""]: readonly string[]): Promise<number> {
  return tellResult(
    io,
    options,
    (operate) => operate("rooms.delete", { id }),
    () => io.err("The room is deleted.\n"),
  );
}

function toRow({ id, title, agent, agentGone, open, forPerson, cycles }: Omit<Room, "events" | "messages">): readonly string[] {
  return [id, oneLine(title), agentGone ? `${agent} (gone)` : agent, `${open}`, `${forPerson}`, `${cycles}`];
}

function describe({ id, title, agent, agentGone, people, isWorking, error, events, messages }: Room): string {
  return [
    `${id}: ${title}, ${agent}${isWorking ? ", at work" : ""}`,
    ...(people.length === 0 ? [] : [`People: ${people.join(", ")}`]),
    ...(agentGone ? [`There is no agent ${agent} any more: events go to people.`] : []),
    ...(error === undefined ? [] : [`The last cycle did not go well: ${error}`]),
    "",
    ...events.map(
      ({ event, state, text, outcome }) => `${event} ${state}: ${oneLine(text)}${outcome === undefined ? "" : ` | ${oneLine(outcome)}`}`,
    ),
    ...(messages.length === 0 ? [] : ["", ...messages.map((message) => describeMessage(agent, message))]),
  ].join("\n");
}

function describeMessage(agent: string, { text, to, foreign }: Room["messages"][number]): string {
  const read = foreign ? ` (read content from ${oneLine(foreign.place ?? foreign.tool)} before)` : "";
  return `${agent}${to === undefined ? "" : ` to ${to}`}${read}: ${text}`;
}
