import { minuteOf } from "../../contract/minute-of.ts";
import { oneLine } from "../../contract/visible-text.ts";
import { everybody, type Session } from "../../ports/session-store.ts";
import type { Rendering } from "../shell.ts";

type Listed = Pick<Session, "id" | "kind" | "name" | "owner" | "sharedWith" | "usedAt">;

export const sessionsView: Rendering<{ readonly items: readonly Listed[] }> = {
  show: ({ items }, { input }) => {
    if (items.length > 0) return [{ head: ["id", "kind", "name", "owner", "shared with", "last used"], rows: items.map(toRow) }];
    const isNarrowed = Object.keys(input).length > 0;
    return [isNarrowed ? "There is no such session." : "There are no sessions. A call makes one: toolwright call TOOL"];
  },
};

export const sharedView: Rendering<Pick<Session, "id" | "sharedWith">> = {
  show: ({ id, sharedWith = [] }) => [`${id} is shared with ${sharedWith.length === 0 ? "nobody" : oneLine(describe(sharedWith))}.`],
};

const toRow = ({ id, kind, name = "", owner = "", sharedWith = [], usedAt }: Listed) => [
  ...[id, kind, name, owner, describe(sharedWith), minuteOf(usedAt)],
];

const describe = (sharedWith: readonly string[]) => sharedWith.map((each) => (each === everybody ? "everybody" : each)).join(", ");
