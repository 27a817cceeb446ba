import type { PGlite } from "@electric-sql/pglite";

/** The files of a database are held so that they can be copied while it is used: see `copyData`. */
export interface Pin {
  /** Rejects when they were not held all the time: what was copied is then of no use. */
  release(): Promise<void>;
}

export interface Pins {
  readonly held: boolean;
  pin(): Promise<Pin>;
  /** From here on nothing is held. */
  break(): void;
}

/** Milliseconds that files are held at most: meanwhile the write-ahead log grows. */
const mostHeldMs = 300_000;

/** Until it is released there is no checkpoint: the log keeps all that is written after the one that this begins with. */
export function createPins(pglite: Pick<PGlite, "query">, { mostMs = mostHeldMs } = {}): Pins {
  const held = new Set<object>();
  return {
    get held() {
      return held.size > 0;
    },
    async pin() {
      const one = {};
      held.add(one);
      const late = setTimeout(() => held.delete(one), mostMs).unref();
      const release = async () => {
        clearTimeout(late);
        if (!held.delete(one)) throw new Error("The files of the database were not held long enough.");
      };
      try {
        await pglite.query("CHECKPOINT");
      } catch (error) {
        await release();
        throw error;
      }
      return { release };
    },
    break: () => held.clear(),
  };
}
