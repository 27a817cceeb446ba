import type { Logger } from "@toolwright/engine";
import type { Clock } from "@toolwright/engine/ports";
import type { HeldLoop } from "./watch-loop.ts";

/** Milliseconds for which further stretches of the same operation are only counted. */
const quietMs = 60_000;

/** Logs what held the event loop: a line an operation and minute, with the number of those left out since the last one. */
export function reportHeld({
  logger,
  clock,
}: {
  readonly logger: Logger;
  readonly clock: Pick<Clock, "monotonic">;
}): (held: HeldLoop) => void {
  const reported = new Map<string, { readonly at: number; leftOut: number }>();
  return ({ operation, ...held }) => {
    const last = reported.get(operation);
    if (last && clock.monotonic() - last.at < quietMs) {
      last.leftOut += 1;
      return;
    }
    const { leftOut = 0 } = last ?? {};
    reported.set(operation, { at: clock.monotonic(), leftOut: 0 });
    logger.log("warn", `The event loop was held by ${operation}, and every other request waited.`, {
      ...{ operation, ...held },
      ...(leftOut > 0 && { leftOut }),
    });
  };
}
