import { oneLine } from "../../contract/visible-text.ts";
import type { RoomEvent, RoomMessage } from "../../ports/rooms.ts";
import type { Rendering } from "../shell.ts";

interface ListedRoom {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  readonly agentGone: boolean;
  readonly open: number;
  readonly forPerson: number;
  readonly cycles: number;
}

interface OpenedRoom extends ListedRoom {
  readonly people: readonly string[];
  readonly isWorking: boolean;
  readonly error?: string | undefined;
  readonly events: readonly Pick<RoomEvent, "event" | "state" | "text" | "outcome">[];
  readonly messages: readonly Pick<RoomMessage, "text" | "to" | "foreign">[];
}

export const roomsView: Rendering<{ readonly items: readonly ListedRoom[] }> = {
  show: ({ items }) =>
    items.length === 0
      ? ["There are no rooms. Make one with: toolwright rooms create Orders --agent assistant"]
      : [{ head: ["id", "title", "agent", "open", "for people", "cycles"], rows: items.map(toRow) }],
};

export const roomView: Rendering<OpenedRoom> = {
  show: ({ id, title, agent, agentGone, people, isWorking, error, events, messages }) => [
    `${id}: ${title}, ${agent}${isWorking ? ", at work" : ""}`,
    ...(people.length === 0 ? [] : [`People: ${people.join(", ")}`]),
    ...(agentGone ? [`Agent ${agent} was deleted: events go to people.`] : []),
    ...(error === undefined ? [] : [`The last cycle did not go well: ${error}`]),
    "",
    ...events.map(
      ({ event, state, text, outcome }) => `${event} ${state}: ${oneLine(text)}${outcome === undefined ? "" : ` | ${oneLine(outcome)}`}`,
    ),
    ...(messages.length === 0 ? [] : ["", ...messages.map((message) => describeMessage(agent, message))]),
  ],
};

const toRow = ({ id, title, agent, agentGone, open, forPerson, cycles }: ListedRoom) => [
  id,
  title,
  agentGone ? `${agent} (gone)` : agent,
  `${open}`,
  `${forPerson}`,
  `${cycles}`,
];

function describeMessage(agent: string, { text, to, foreign }: OpenedRoom["messages"][number]): string {
  const read = foreign ? ` (read content from ${oneLine(foreign.place ?? foreign.tool)} before)` : "";
  return `${agent}${to === undefined ? "" : ` to ${to}`}${read}: ${text}`;
}
