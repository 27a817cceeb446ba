import { type Clock, systemClock } from "@toolwright/engine/ports";

interface DatabaseClock extends Clock {
  /** Milliseconds since the epoch that the database just said. */
  set(now: number): void;
}

/** Milliseconds by which it may differ from the database's: less is the way there and back. */
const mostApartMs = 500;

/**
 * The time of the database, which all processes share: what expires, and when a job is due, is the same for each of them, whatever the clock
 * of its machine says. Between two words of the database it goes on by time that no jump of a clock moves.
 */
export function createDatabaseClock(machine: Clock = systemClock): DatabaseClock {
  let apart = machine.now() - machine.monotonic();
  const now = () => Math.round(machine.monotonic() + apart);
  return {
    ...machine,
    now,
    set(said) {
      if (Math.abs(said - now()) > mostApartMs) apart = said - machine.monotonic();
    },
  };
}
