import type { StoredEvent } from "@toolwright/engine";
import { oneLine, visibleJson } from "@toolwright/engine/visible-text";

/** JSON on one line that is safe on a screen, too. */
export const jsonLine = (value: unknown): string => visibleJson(value);

/** An event for people: when, where, what, who, and what it says. */
export function describeEvent({ event, sequence }: StoredEvent): string {
  const { at, session, type, tool, actor, agent, callId, data } = event;
  const who = agent === undefined ? actor.id : `${actor.id} as ${agent}`;
  const cells = [new Date(at).toISOString(), `${session}#${sequence}`, type, tool, who, callId, JSON.stringify(data)];
  return cells.flatMap((cell) => (cell === undefined ? [] : oneLine(cell))).join("  ");
}
