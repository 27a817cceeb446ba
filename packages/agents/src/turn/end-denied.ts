import type { Scope } from "@toolwright/engine";
import type { HeldTurn } from "@toolwright/engine/ports";

/** Calls that nobody approved any more: their endings come into the log. One that was approved before does not run, either. */
export async function endDenied({ waitedFor }: HeldTurn, scope: Scope): Promise<void> {
  for (const id of waitedFor) {
    const stored = await scope.approval(id);
    if (stored?.answer?.outcome.kind === "deny") await scope.resume(id);
  }
}
