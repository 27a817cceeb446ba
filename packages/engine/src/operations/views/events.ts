import type { StoredEvent } from "../../contract/events.ts";
import { oneLine } from "../../contract/visible-text.ts";
import { describeRemoved, type SessionCounts } from "../../ports/retention-admin.ts";
import type { SessionHead } from "../../ports/session-reader.ts";
import type { Rendering } from "../shell.ts";

/** An event for people, on one line: when, where, what, who, and what it says. */
function describeEvent({ event, sequence }: StoredEvent): string {
  const { at, session, type, tool, actor, agent, callId, data } = event;
  const who = agent === undefined ? actor.id : `${actor.id} as ${agent}`;
  const cells = [new Date(at).toISOString(), `${session}#${sequence}`, type, tool, who, callId, JSON.stringify(data)];
  return cells.flatMap((cell) => (cell === undefined ? [] : oneLine(cell))).join("  ");
}

interface Events {
  readonly items: readonly StoredEvent[];
  readonly removed?: { readonly through: number; readonly at: number } | undefined;
}

export const eventsView: Rendering<Events> = {
  show: ({ items, removed }) => [
    ...(removed ? [{ note: `Events 1 to ${removed.through} were removed by retention at ${new Date(removed.at).toISOString()}.` }] : []),
    ...items.map(describeEvent),
  ],
  jsonLines: ({ items }) => items,
};

interface Heads {
  readonly items: readonly SessionHead[];
  /** How many there are beyond the limit. */
  readonly more: number;
}

export const headsView: Rendering<Heads> = {
  show({ items, more }, { input: { since } }) {
    if (items.length === 0) return [since === undefined ? "There are no sessions yet: toolwright call TOOL" : "There is no such session."];
    return [
      { head: ["last event", "events", "removed", "session"], rows: items.map(toRow) },
      ...(more > 0 ? [{ note: `There are ${more} more: --limit ${items.length + more}` }] : []),
    ];
  },
  jsonLines: ({ items }) => items,
};

const toRow = ({ lastAt, sequence, removed, session }: SessionHead) => [
  `${new Date(lastAt).toISOString().slice(0, 19)}Z`,
  `${sequence - (removed?.through ?? 0)}`,
  `${removed?.through ?? 0}`,
  session,
];

export const prunedView: Rendering<SessionCounts & { readonly dryRun: boolean }> = {
  show: ({ dryRun, ...removed }) => [`${dryRun ? "Would remove" : "Removed"} ${describeRemoved(removed)}.`],
};
