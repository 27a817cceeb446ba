import type { OperationTypes } from "@toolwright/engine/operations";
import type { Operate } from "../context/operate.ts";

type Turn = OperationTypes["turns.get"]["output"];
export type TurnMessage = OperationTypes["messages.list"]["output"]["items"][number];

/** The messages of a turn, however long its conversation is. */
export async function readMessages(
  operate: Operate,
  { id, conversation }: Pick<Turn, "id" | "conversation">,
): Promise<readonly TurnMessage[]> {
  const own: TurnMessage[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { items }: { readonly items: readonly TurnMessage[] } = await operate("messages.list", { conversation, after });
    own.push(...items.filter(({ turn }) => turn === id));
    after = items.at(-1)?.sequence;
  }
  return own;
}
