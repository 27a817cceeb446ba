import type { Principal } from "../../contract/principal.ts";
import type { Clock } from "../../ports/clock.ts";

/** Milliseconds after which a gap is told again: one session may outlive many conversations. */
const repeatMs = 60 * 60 * 1000;
const maxSessions = 10_000;
const maxGaps = 64;

interface Conversation {
  readonly principal: Principal;
  readonly session: string;
}

/** Which gaps in the protection of its runs each session knows of, so that every run of it does not repeat them. */
export class ReportedGaps {
  readonly #clock: Clock;
  readonly #sessions = new Map<string, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The gaps that this session has not heard of lately; from now on it has. */
  tell({ principal, session }: Conversation, gaps: readonly string[]): readonly string[] {
    if (gaps.length === 0) return gaps;
    const now = this.#clock.now();
    const known = this.#open(JSON.stringify([principal.tenant, principal.actor, principal.agent ?? null, session]));
    const unheard = [...new Set(gaps)].filter((gap) => {
      const at = known.get(gap);
      return at === undefined || now < at || now - at >= repeatMs;
    });
    for (const gap of unheard) {
      known.delete(gap);
      known.set(gap, now);
    }
    dropOldest(known, maxGaps);
    return unheard;
  }

  /** Moves the session to the end, so that the one that ran nothing for longest is forgotten first. */
  #open(key: string): Map<string, number> {
    const known = this.#sessions.get(key) ?? new Map<string, number>();
    this.#sessions.delete(key);
    this.#sessions.set(key, known);
    dropOldest(this.#sessions, maxSessions);
    return known;
  }
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
