import type { StoredEvent } from "./events.ts";
import { oneLine } from "./visible-text.ts";

/** An event for people, on one line: when, where, what, who, and what it says. */
export function describeEvent({ event, sequence }: StoredEvent): string {
  const { at, session, type, tool, actor, agent, callId, data } = event;
  const who = agent === undefined ? actor.id : `${actor.id} as ${agent}`;
  const cells = [new Date(at).toISOString(), `${session}#${sequence}`, type, tool, who, callId, JSON.stringify(data)];
  return cells.flatMap((cell) => (cell === undefined ? [] : oneLine(cell))).join("  ");
}
