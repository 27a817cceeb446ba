import type { Engine, Logger } from "@toolwright/engine";
import type { Clock, Turns } from "@toolwright/engine/ports";

export interface LostTurnsParts {
  readonly engine: Pick<Engine, "scope">;
  readonly turns: Turns;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Goes on with turns whose process died, of every tenant, as calls of whoever asked: a worker calls it every few seconds. Gives how many there were,
 * once they have ended or wait. Rejects when the store does not answer.
 */
export async function resumeLostTurns({ engine, turns, clock, logger }: LostTurnsParts, limit = 16): Promise<number> {
  const lost = await turns.lost({ now: clock.now(), limit });
  const running = lost.map(async ({ id, agent, conversation, principal }) => {
    const result = await engine.scope(principal).invokeNamed("agent_run", { agent, message: "", turn: id, conversation });
    if (result.status === "failed" && result.error.code !== "call_lost")
      logger.log("warn", "A turn whose process died could not go on.", { turn: id, code: result.error.code, error: result.error.message });
  });
  await Promise.all(running);
  return lost.length;
}
