import { type TurnRecord, turnNotFound } from "@toolwright/engine/ports";
import type { RunSite, RunsParts } from "./go-on.ts";

/** What `ctx.agents` gives a tool that reads. */
export interface AgentTasks {
  /**
   * How far a sub-agent of this conversation is, once it has ended or waits for a person, at most after so many milliseconds. Rejects with
   * `turn_not_found`.
   */
  task(id: string, withinMs: number): Promise<AgentTask>;
}

export interface AgentTask {
  readonly turn: TurnRecord;
  /** Since it began. */
  readonly ageMs: number;
}

type Site = Pick<RunSite, "principal" | "session" | "signal">;

export function agentTasks({ principal: { tenant }, session, signal }: Site, { turns, clock }: RunsParts): AgentTasks {
  const find = async (id: string) => {
    const found = await turns.get({ tenant, id });
    const parent = found?.parent === undefined ? undefined : await turns.get({ tenant, id: found.parent });
    if (found && parent?.conversation === session) return found;
    throw turnNotFound(id);
  };
  return {
    async task(id, withinMs) {
      let wake = () => {};
      const until = clock.now() + withinMs;
      const stops = [clock.after(withinMs, () => wake()), turns.follow(tenant, (changed) => (changed ?? id) === id && wake())];
      signal.addEventListener("abort", () => wake(), { once: true });
      try {
        for (;;) {
          const heard = new Promise<void>((resolve) => {
            wake = resolve;
          });
          const turn = await find(id);
          const now = clock.now();
          if (turn.state !== "running" || now >= until || signal.aborted) return { turn, ageMs: now - turn.createdAt };
          await heard;
        }
      } finally {
        for (const stop of stops) stop();
      }
    },
  };
}
