import type { PGlite } from "@electric-sql/pglite";

/** The parts of PGlite's WebAssembly module that its loop over a message calls. */
type Loop = Record<"_PostgresMainLoopOnce" | "_PostgresSendReadyForQueryIfNecessary" | "_pgl_pq_flush", () => void> & {
  stackRestore(position: number): void;
};

/** Status of the exception by which a failed statement comes back; every other one is the end of this PostgreSQL. */
const statementFailed = 100;

/** PostgreSQL's code for a server that crashed: what was asked can be asked again of the next one. */
const crashed = "57P02";

/**
 * Embedded PostgreSQL aborts when its write-ahead log finds no room on the disk, as on every other PANIC. PGlite's loop takes that for a
 * failed statement and calls it again for ever, in one turn of the event loop; here the loop ends with an error, now and from then on.
 */
export function guardCrash(pglite: PGlite, onCrash: () => void): void {
  const { mod } = pglite as unknown as { readonly mod: Loop };
  const { _PostgresMainLoopOnce: step, stackRestore: restore } = mod;
  let end: Error | undefined;
  mod._PostgresMainLoopOnce = () => {
    if (end) throw end;
    try {
      step();
    } catch (error) {
      if ((error as { readonly status?: unknown }).status === statementFailed) throw error;
      end = Object.assign(new Error("Embedded PostgreSQL crashed.", { cause: error }), { code: crashed });
      queueMicrotask(onCrash);
      throw end;
    }
  };
  // The first thing after an exception that may throw out of the loop.
  mod.stackRestore = (position) => {
    if (end) throw end;
    restore(position);
  };
  for (const last of ["_PostgresSendReadyForQueryIfNecessary", "_pgl_pq_flush"] as const) {
    const run = mod[last];
    mod[last] = () => {
      if (!end) run();
    };
  }
}
