import type { TurnHold, TurnRecord } from "@toolwright/engine/ports";
import { turnLeaseMs } from "./turn-lease.ts";
import type { TurnParts } from "./turn-parts.ts";
import { TurnLost } from "./turn-recorder.ts";
import { whyOver } from "./why-over.ts";

/** Somebody wants the turn to end. */
export class TurnCancelled extends Error {}

/** The process ends; the turn does not. */
export class TurnLetGo extends Error {}

interface HoldKeeping {
  readonly turn: TurnRecord;
  readonly hold: TurnHold;
  readonly stopper: AbortController;
  /** Called when the process begins to end. */
  readonly leave: () => void;
}

/** Prolongs the lease while the turn runs, and hears when it or its parent is to end. Returns how to stop. */
export function keepHold(keeping: HoldKeeping, parts: TurnParts): () => void {
  const { turn, hold, stopper, leave } = keeping;
  const { turns, clock, logger, leaving } = parts;
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(turnLeaseMs / 3, () => {
      turns.hold(hold, { until: clock.now() + turnLeaseMs }).then(
        (isHeld) => isHeld || stopper.abort(new TurnLost(turn.id)),
        (error: unknown) => logger.log("warn", "The lease of a turn could not be prolonged.", { turn: turn.id, error: String(error) }),
      );
      next();
    });
  };
  next();
  const unfollow = turns.follow(turn.tenant, (id) => {
    if (id === undefined || id === turn.id || id === turn.parent) void look(keeping, parts);
  });
  leaving?.signal.addEventListener("abort", leave);
  return () => {
    cancel();
    unfollow();
    leaving?.signal.removeEventListener("abort", leave);
  };
}

async function look({ turn, stopper }: HoldKeeping, { turns }: TurnParts): Promise<void> {
  const parentOf = turn.parent === undefined ? undefined : turns.get({ tenant: turn.tenant, id: turn.parent });
  const [own, parent] = await Promise.all([turns.get(turn), parentOf]).catch(() => []);
  const reason = own?.cancelReason ?? (parent && whyOver(parent, turn));
  if (reason !== undefined) stopper.abort(new TurnCancelled(reason));
}
