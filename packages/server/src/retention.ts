import type { Logger } from "@toolwright/engine";
import { describeRemoved } from "@toolwright/engine/ports";
import { type Store, unusedRecords } from "@toolwright/postgres";
import { sweepAtStart } from "@toolwright/sandbox";

/** Milliseconds that a command waits at its end for the removal that it does once an hour: each would begin with it anew, and none would end it. */
const finishMs = 1_000;

/** Whatever calls tools also sees to what is over: from time to time one of all processes removes it. Returns how to stop. */
export function startRetention(
  { registry, retention }: Pick<Store, "registry" | "retention">,
  { logger, isSoonOver }: { readonly logger: Logger; readonly isSoonOver?: boolean },
): () => Promise<void> {
  let closing = false;
  // One after the other: what is being noted is passed over by the removal, until it is due again.
  const started = registry
    .noteExpired()
    .catch((error: unknown) => logger.log("warn", "Which approvals expired could not be noted; it is tried again.", { error }))
    .then(() => {
      if (closing) return undefined;
      return retention.start(
        (removed) => {
          const { [unusedRecords]: _, ...told } = removed;
          if (Object.keys(told).length > 0) logger.log("info", `Removed what was over: ${describeRemoved(told)}.`);
        },
        { finishMs: isSoonOver ? finishMs : 0 },
      );
    });
  return async () => {
    closing = true;
    const stop = await started;
    await stop?.();
  };
}

/** A process that stays removes what writes that were killed left in workspaces. Returns how to stop. */
export function startSweeping(roots: readonly string[], logger: Logger): () => Promise<void> {
  return sweepAtStart(roots, (root, { removed, isComplete }) => {
    const rest = isComplete
      ? ""
      : " The folder has more entries than the sweep looks at; *.tmp files that begin with .toolwright_ may be left.";
    logger.log("info", `Removed ${removed} unfinished ${removed === 1 ? "file" : "files"} of interrupted writes below ${root}.${rest}`);
  });
}
