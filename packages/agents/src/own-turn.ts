import type { Principal } from "@toolwright/engine";
import { type Clock, digest, idempotencyKeyOf, isOpenTurn, keyKeptMs, type TurnRecord, type Turns } from "@toolwright/engine/ports";

/** A call that begins a turn. */
export interface BeginningCall {
  readonly callId: string;
  /** It has the same one when it is made again. */
  readonly key?: string | undefined;
  readonly principal: Principal;
}

/** The turn of a call, begun or not. */
export interface OwnTurn {
  readonly id: string;
  readonly turn: TurnRecord | undefined;
}

/** By the key of the call that began it: one that is made again after its process died finds it. */
export const keyedId = (prefix: "trn" | "ses", key: string) => `${prefix}_${digest(key).slice(0, 32)}`;

/** The id of a turn whose call has no key. */
export const turnIdOf = (callId: string) => callId.replace(/^[a-z]+_/, "trn_");

/** The turn of this very call, or of one that the same caller made with the same key before, for as long as keys are remembered. */
export async function findOwnTurn(
  { callId, key, principal }: BeginningCall,
  { turns, clock }: { readonly turns: Pick<Turns, "get">; readonly clock: Clock },
): Promise<OwnTurn> {
  const { tenant } = principal;
  const find = async (id: string) => ({ id, turn: await turns.get({ tenant, id }) });
  if (key === undefined) return find(turnIdOf(callId));
  const keyed = await find(keyedId("trn", idempotencyKeyOf(principal, key)));
  const { turn } = keyed;
  const isRemembered = !turn || turn.callId === callId || isOpenTurn(turn) || clock.now() - (turn.endedAt ?? 0) < keyKeptMs;
  return isRemembered ? keyed : find(turnIdOf(callId));
}
