import type { Principal } from "@toolwright/engine";
import { isOpenTurn } from "@toolwright/engine/ports";
import type { TurnParts } from "./turn/turn-parts.ts";

/** Cancels the turn that is open in a conversation, where there is one. Resolves when it has ended; rejects when the call is to end. */
export async function endOpenTurn(
  conversation: string,
  { principal, signal }: { readonly principal: Principal; readonly signal: AbortSignal },
  { turns, engine }: Pick<TurnParts, "turns" | "engine">,
): Promise<void> {
  const [open] = await turns.list(principal.tenant, { conversation, states: ["running", "waiting"], limit: 1 });
  if (!open) return;
  const { id, tenant, agent } = open;
  let wake = () => {};
  const onAbort = () => wake();
  const unfollow = turns.follow(tenant, (changed) => (changed ?? id) === id && wake());
  signal.addEventListener("abort", onAbort);
  try {
    await engine.operate(principal, "turns.cancel", { id, reason: "Another message took its place." });
    for (;;) {
      signal.throwIfAborted();
      const heard = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const turn = await turns.get(open);
      if (!turn || !isOpenTurn(turn)) return;
      // One that waits has no process, so it ends in this one, unless another takes it up first.
      const goOn = () => engine.scope(open.principal).invokeNamed("agent_run", { agent, message: "", turn: id, conversation });
      if (turn.state !== "waiting" || (await goOn()).status !== "done") await heard;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    unfollow();
  }
}
