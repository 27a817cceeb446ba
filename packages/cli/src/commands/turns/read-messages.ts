import type { OperationTypes } from "@toolwright/engine/operations";
import type { Operate } from "../context/operate.ts";

type Turn = OperationTypes["turns.get"]["output"];
type Listed = OperationTypes["messages.list"]["output"];

export interface SaidInTurn {
  readonly messages: Listed["items"];
  /** Those that wait for its next step. */
  readonly queued: Listed["queued"];
}

/** The messages of a turn, however long its conversation is. */
export async function readMessages(operate: Operate, { id, conversation }: Pick<Turn, "id" | "conversation">): Promise<SaidInTurn> {
  const messages: Listed["items"][number][] = [];
  for (let after = 0; ; ) {
    const { items, queued }: Listed = await operate("messages.list", { conversation, after });
    messages.push(...items.filter(({ turn }) => turn === id));
    const last = items.at(-1);
    if (!last) return { messages, queued: queued.filter(({ turn }) => turn === id) };
    after = last.sequence;
  }
}
