import { isOpenTurn, type TurnRecord } from "@toolwright/engine/ports";

type Parent = Pick<TurnRecord, "cancelReason" | "state">;

/** Why nothing more is to come of a sub-agent, as it stands with its parent; undefined while it goes on. One in the background outlives an answer. */
export function whyOver({ cancelReason, state }: Parent, { background = false }: Pick<TurnRecord, "background">): string | undefined {
  if (cancelReason !== undefined) return cancelReason;
  if (isOpenTurn({ state }) || (background && state !== "cancelled")) return undefined;
  return "The turn that began it has ended.";
}
