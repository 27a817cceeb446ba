import { performance } from "node:perf_hooks";
import { type Principal, ToolwrightError } from "@toolwright/engine";
import { type Clock, FairPool, type PoolSlot, sharerOf, systemClock } from "@toolwright/engine/ports";

/** Requests that are worked on at once: each step of one waits behind a step of every other. */
const places = { capacity: 16, mostOfTenant: 4, mostOfPerson: 2 };
/** Heavy ones among them: a step of theirs may take as long as many others. */
const heavyPlaces = { capacity: 4, mostOfTenant: 1 };
const mostWaiting = 1_000;
/** Bytes of a body from which on its request is taken for a heavy one. */
const largeBytes = 64 * 1024;
/** Milliseconds of the thread that a request may take without being heavy. */
const lightMs = 25;
/** How much the last request of a person counts for what their next one is expected to take. */
const weight = 0.3;
/** Times as long as a request was heavy, its place stays empty where others are there. */
const restFactor = 8;
const longestRestMs = 1_000;
/** Milliseconds after the end of their last request in which somebody counts for being there. */
const recentMs = 1_000;
/** Milliseconds with nothing to do in which a request is taken to wait for something else, as a tool or a person: its place is given to another. */
const idleMs = 50;
/** Milliseconds after which a place is given to another in any case. */
const longestMs = 2_000;
const lookEveryMs = 25;

interface Turn {
  readonly person: string;
  readonly places: readonly PoolSlot[];
  readonly since: number;
  readonly idleBefore: number;
  readonly sharedBefore: number;
}

interface Presence {
  /** Milliseconds of the thread that a request of theirs takes, as a moving mean. */
  costMs: number;
  /** When the last one ended. */
  at: number;
}

/** Milliseconds of the serving thread since some moment in the past. */
export interface ThreadUse {
  readonly idle: number;
  readonly active: number;
}

export interface RequestTurnsOptions {
  readonly clock: Clock;
  readonly readUse: () => ThreadUse;
}

/**
 * Lets people take turns at the thread that serves. Of a person who sends many requests at once a few are worked on, and of heavy ones one, after which
 * the thread is left to others for a while, so that a request of theirs meets few and short steps before its own. Who is alone is not held up at all. A
 * request that waits for something gives its place back.
 */
export class RequestTurns {
  readonly #options: RequestTurnsOptions;
  readonly #pool: FairPool;
  readonly #heavyPool: FairPool;
  readonly #held = new Set<Turn>();
  readonly #present = new Map<string, Presence>();
  /** What each request that was worked on all the time has taken: the time of the thread, shared by those that were worked on together. */
  #shared = 0;
  #activeBefore = 0;
  #isLooking = false;

  constructor(options: RequestTurnsOptions) {
    this.#options = options;
    const { clock } = options;
    this.#pool = new FairPool({ things: "requests", ...places, mostWaiting, clock });
    this.#heavyPool = new FairPool({ things: "heavy requests", ...heavyPlaces, mostWaiting, clock });
  }

  /** Answers when it is the turn of this person. Rejects with `busy`, which says when to try again, and where the request is aborted before that. */
  async answer<Answer>(principal: Principal, request: Request, answer: () => Promise<Answer>): Promise<Answer> {
    const turn = await this.#take(principal, request);
    this.#look();
    try {
      return await answer();
    } finally {
      this.#end(turn);
    }
  }

  async #take(principal: Principal, request: Request): Promise<Turn> {
    const sharer = sharerOf(principal);
    const person = JSON.stringify([sharer.tenant, sharer.person]);
    if (this.#isAlone(person)) return this.#begin(person, []);
    const isHeavy = hasLargeBody(request) || (this.#present.get(person)?.costMs ?? 0) > lightMs;
    const heavy = isHeavy ? await this.#heavyPool.take(sharer, request) : undefined;
    try {
      return this.#begin(person, [await this.#pool.take(sharer, request), ...(heavy ? [heavy] : [])]);
    } catch (error) {
      heavy?.free();
      throw error;
    }
  }

  #begin(person: string, places: readonly PoolSlot[]): Turn {
    const { idle } = this.#share();
    const turn = { person, places, since: this.#options.clock.monotonic(), idleBefore: idle, sharedBefore: this.#shared };
    this.#held.add(turn);
    return turn;
  }

  #end(turn: Turn): void {
    this.#share();
    if (!this.#held.delete(turn)) return;
    const costMs = this.#shared - turn.sharedBefore;
    this.#note(turn.person, costMs);
    const restMs = this.#isAlone(turn.person) ? 0 : Math.min(longestRestMs, restFactor * (costMs - lightMs));
    if (restMs > 0) this.#options.clock.after(restMs, () => free(turn));
    else free(turn);
  }

  #share(): ThreadUse {
    const use = this.#options.readUse();
    if (this.#held.size > 0) this.#shared += (use.active - this.#activeBefore) / this.#held.size;
    this.#activeBefore = use.active;
    return use;
  }

  #note(person: string, costMs: number): void {
    const { costMs: before = costMs } = this.#present.get(person) ?? {};
    this.#present.set(person, { costMs: before + weight * (costMs - before), at: this.#options.clock.monotonic() });
  }

  #isAlone(person: string): boolean {
    const recent = this.#options.clock.monotonic() - recentMs;
    for (const [name, { at }] of this.#present) if (at < recent) this.#present.delete(name);
    for (const name of this.#present.keys()) if (name !== person) return false;
    for (const turn of this.#held) if (turn.person !== person) return false;
    return true;
  }

  #look(): void {
    if (this.#isLooking || this.#held.size === 0) return;
    this.#isLooking = true;
    const { clock } = this.#options;
    clock.after(lookEveryMs, () => {
      this.#isLooking = false;
      const { idle } = this.#share();
      const now = clock.monotonic();
      for (const turn of this.#held)
        if (idle - turn.idleBefore >= idleMs || now - turn.since >= longestMs) {
          this.#held.delete(turn);
          free(turn);
        }
      this.#look();
    });
  }
}

function free(turn: Turn): void {
  for (const place of turn.places) place.free();
}

/** Also where nobody says how long it is. */
function hasLargeBody({ headers, body }: Request): boolean {
  const length = headers.get("content-length");
  return length === null ? body !== null : Number(length) > largeBytes;
}

/** That `answer` rejected before it was the request's turn. */
export const isBusy = (error: unknown): error is ToolwrightError => ToolwrightError.is(error) && error.code === "busy";

/** Those of this process: all doors serve on one thread. */
export const requestTurns = new RequestTurns({ clock: systemClock, readUse: () => performance.eventLoopUtilization() });
