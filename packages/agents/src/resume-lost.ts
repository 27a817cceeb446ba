import type { CallResult, Engine, Logger } from "@toolwright/engine";
import { type Clock, every, type TurnRecord, type Turns } from "@toolwright/engine/ports";
import type { Leaving } from "./turn/leaving.ts";

export interface LostTurnsParts {
  readonly engine: Pick<Engine, "scope">;
  readonly turns: Turns;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A process that ends takes up no more. */
  readonly leaving?: Leaving;
}

/** Milliseconds between two looks for turns whose process died. */
const lookMs = 5_000;
/** Milliseconds after which a turn that may not go on is tried again. */
const laterMs = 60_000;

/** Goes on with turns whose process died, from now on whenever there are some. Returns how to stop looking. */
export function startResuming(parts: LostTurnsParts): () => void {
  const look = () =>
    void resumeLostTurns(parts).catch((error: unknown) =>
      parts.logger.log("warn", "Turns whose process died could not be looked for; it is tried again.", { error: String(error) }),
    );
  look();
  const stop = every(lookMs, parts.clock, look);
  parts.leaving?.signal.addEventListener("abort", stop);
  return stop;
}

/**
 * Goes on with turns whose process died, of every tenant, as calls of whoever asked. Gives how many there were, once they have ended or wait.
 * Rejects when the store does not answer.
 */
export async function resumeLostTurns(parts: LostTurnsParts, limit = 16): Promise<number> {
  const lost = await parts.turns.lost({ now: parts.clock.now(), limit });
  await Promise.all(lost.map((turn) => resumeTurn(turn, parts)));
  return lost.length;
}

/** Goes on with a turn that nobody holds, as a call of whoever asked. */
export function callAgain({ id, agent, principal }: TurnRecord, { engine }: Pick<LostTurnsParts, "engine">): Promise<CallResult> {
  return engine.scope(principal).invokeNamed("agent_run", { agent, message: "", turn: id });
}

async function resumeTurn(turn: TurnRecord, { engine, turns, clock, logger, leaving }: LostTurnsParts): Promise<void> {
  const { id } = turn;
  const result = await callAgain(turn, { engine });
  if (result.status === "done" || leaving?.signal.aborted || !isSame(turn, await turns.get(turn))) return;
  const now = clock.now();
  // Else each look would try it anew, and it would be in the way of others. Where another process has taken it, nothing happens.
  if (!(await turns.take(turn, { holder: "nobody", until: now + laterMs }, now))) return;
  const error = "error" in result ? result.error.message : result.status;
  logger.log("warn", "A turn whose process died may not go on; it is tried again in a minute.", { turn: id, error });
}

/** True for one that is where it was: as lost as before. */
function isSame({ state, waitsFor }: TurnRecord, now: TurnRecord | undefined): boolean {
  return now?.state === state && now.waitsFor.join() === waitsFor.join();
}
