import type { StoredEvent } from "@toolwright/engine";
import { oneLine } from "@toolwright/engine/visible-text";

/** JSON on one line that is safe on a screen, too: JSON itself lets the second block of control characters stand. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** An event for people: when, where, what, who, and what it says. */
export function describeEvent({ event, sequence }: StoredEvent): string {
  const { at, session, type, tool, actor, agent, callId, data } = event;
  const who = agent === undefined ? actor.id : `${actor.id} as ${agent}`;
  const cells = [new Date(at).toISOString(), `${session}#${sequence}`, type, tool, who, callId, JSON.stringify(data)];
  return cells.flatMap((cell) => (cell === undefined ? [] : oneLine(cell))).join("  ");
}
