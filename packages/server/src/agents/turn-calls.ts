import { findOwnTurn } from "@toolwright/agents";
import type { TurnCalls } from "@toolwright/doors/rest";
import type { Clock, Turns } from "@toolwright/engine/ports";

/** How turns of agents begin at a door. */
export function turnCalls({ turns, clock }: { readonly turns: Turns; readonly clock: Clock }): TurnCalls {
  return {
    tool: "agent_run",
    async turnOf(call, ended) {
      const { id } = await findOwnTurn(call, { turns, clock });
      const { tenant } = call.principal;
      let wake = () => {};
      const onEnd = () => wake();
      const stop = turns.follow(tenant, (changed) => (changed ?? id) === id && wake());
      ended.addEventListener("abort", onEnd);
      try {
        for (;;) {
          const isLast = ended.aborted;
          const heard = new Promise<void>((resolve) => {
            wake = resolve;
          });
          if (await turns.get({ tenant, id })) return id;
          if (isLast) return undefined;
          if (!ended.aborted) await heard;
        }
      } finally {
        ended.removeEventListener("abort", onEnd);
        stop();
      }
    },
  };
}
