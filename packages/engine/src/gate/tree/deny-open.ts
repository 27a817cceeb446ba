import type { Principal } from "../../contract/principal.ts";
import type { Wait } from "../../ports/call-tree.ts";
import type { GateParts } from "../gate-parts.ts";

/** Denies what nobody has answered yet: the call that needed it has ended. */
export async function denyOpen({ tenant, actor }: Principal, waits: readonly Wait[], { approvals, clock }: GateParts): Promise<void> {
  const at = clock.now();
  const outcome = { kind: "deny", message: "The call that needed it has ended." } as const;
  for (const { kind, id } of waits) if (kind === "approval") await approvals.answer(tenant, id, { outcome, by: actor, at });
}
