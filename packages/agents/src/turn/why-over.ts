import { isOpenTurn, type TurnRecord } from "@toolwright/engine/ports";

/** Why nothing more is to come of the sub-agents of a turn; undefined while it is open. */
export function whyOver(parent: TurnRecord): string | undefined {
  return parent.cancelReason ?? (isOpenTurn(parent) ? undefined : "The turn that began it has ended.");
}
