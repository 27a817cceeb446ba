import type { Engine, Logger } from "@toolwright/engine";

/** Goes on with suspended calls whose approvals are answered. */
interface ResumeCalls {
  /** Looks for some now, unless as many run as may. */
  (): void;
  /** Resolves when those that run have ended or wait again. */
  settle(): Promise<unknown>;
}

/** Rounds that run at once: one that takes long keeps no other from being found. */
const mostRounds = 4;

export function createResumeCalls(engine: Pick<Engine, "resumeDue">, logger: Logger, { mostAtOnce }: { mostAtOnce: number }): ResumeCalls {
  const rounds = new Set<Promise<void>>();
  const limit = Math.max(1, Math.floor(mostAtOnce / mostRounds));
  const resumeSome = async () => {
    try {
      while ((await engine.resumeDue({ limit })) === limit);
    } catch (error) {
      logger.log("warn", "Suspended calls could not be looked for; it is tried again.", { error: String(error) });
    }
  };
  const look = () => {
    if (rounds.size >= mostRounds) return;
    const round = resumeSome();
    rounds.add(round);
    void round.finally(() => rounds.delete(round));
  };
  return Object.assign(look, { settle: () => Promise.all(rounds) });
}
