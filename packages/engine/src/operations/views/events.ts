import type { SessionHead } from "../../ports/session-reader.ts";
import type { Rendering } from "../shell.ts";

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
