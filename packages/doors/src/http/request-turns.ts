import { performance } from "node:perf_hooks";
import { type Principal, ToolwrightError } from "@toolwright/engine";
import { type Clock, FairPool, type PoolSlot, type Sharer, sharerOf, systemClock } from "@toolwright/engine/ports";

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
/** Times as long as a heavy request took, its place stays empty where others are there. */
const restFactor = 8;
const longestRestMs = 1_000;
/** Milliseconds after their last request in which somebody counts for being there. */
const recentMs = 1_000;
/** Milliseconds with nothing to do in which a request is taken to wait for something else, as a tool or a person: its place is given to another. */
const idleMs = 50;
/** Milliseconds after which a place is given to another in any case. */
const longestMs = 2_000;
const lookEveryMs = 25;

interface Turn {
  readonly sharer: Sharer;
  readonly person: string;
  places: readonly PoolSlot[];
  since: number;
  idleBefore: number;
  sharedBefore: number;
}

interface Back {
  /** Its place was given back while its body came: it goes before other requests of its person. */
  readonly isBack?: true;
}

interface Presence {
  /** Milliseconds of the thread that a request of theirs takes, as a moving mean. Undefined before the first has ended. */
  costMs: number | undefined;
  /** Requests that are worked on. */
  held: number;
  /** When the last one began, gave its place back or ended. */
  at: number;
}

/** Milliseconds of the serving thread since some moment in the past. */
interface ThreadUse {
  readonly idle: number;
  readonly active: number;
}

interface RequestTurnsOptions {
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
  readonly #turns = new Map<Request, Turn>();
  readonly #held = new Set<Turn>();
  /** By person, those whose last request is oldest first. */
  readonly #present = new Map<string, Presence>();
  #latest: string | undefined;
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
    const sharer = sharerOf(principal);
    const person = `${sharer.tenant.length} ${sharer.tenant}${sharer.person}`;
    const turn: Turn = { sharer, person, places: [], since: 0, idleBefore: 0, sharedBefore: 0 };
    await this.#begin(turn, request);
    this.#turns.set(request, turn);
    try {
      return await answer();
    } finally {
      this.#turns.delete(request);
      this.#end(turn);
    }
  }

  /** The body of a request has come, and is worked on next: where its place was given back meanwhile, it takes one again first. */
  async arrived(request: Request): Promise<void> {
    const turn = this.#turns.get(request);
    if (!turn) return;
    if (this.#held.has(turn)) this.#watch(turn, this.#share());
    else await this.#begin(turn, request, { isBack: true });
  }

  async #begin(turn: Turn, request: Request, back: Back = {}): Promise<void> {
    turn.places = await this.#take(turn, request, back);
    this.#watch(turn, this.#share());
    turn.sharedBefore = this.#shared;
    this.#held.add(turn);
    this.#note(turn.person, { held: 1 });
    this.#look();
  }

  async #take({ sharer, person }: Turn, request: Request, back: Back): Promise<readonly PoolSlot[]> {
    if (this.#isAlone(person)) return [];
    const options = { ...back, signal: request.signal };
    const isHeavy = hasLargeBody(request) || (this.#present.get(person)?.costMs ?? 0) > lightMs;
    const heavy = isHeavy ? await this.#heavyPool.take(sharer, options) : undefined;
    try {
      return [await this.#pool.take(sharer, options), ...(heavy ? [heavy] : [])];
    } catch (error) {
      heavy?.free();
      throw error;
    }
  }

  /** From now on the turn is given back where the thread has nothing to do, or after long. */
  #watch(turn: Turn, { idle }: ThreadUse): void {
    turn.since = this.#options.clock.monotonic();
    turn.idleBefore = idle;
  }

  #end(turn: Turn): void {
    if (!this.#held.has(turn)) {
      this.#note(turn.person, { held: 0 });
      return;
    }
    const costMs = this.#leave(turn);
    const restMs = costMs <= lightMs || this.#isAlone(turn.person) ? 0 : Math.min(longestRestMs, restFactor * costMs);
    if (restMs > 0) this.#options.clock.after(restMs, () => free(turn));
    else free(turn);
  }

  /** Milliseconds of the thread that the turn took. */
  #leave(turn: Turn): number {
    this.#share();
    this.#held.delete(turn);
    const costMs = this.#shared - turn.sharedBefore;
    this.#note(turn.person, { held: -1, costMs });
    return costMs;
  }

  #share(): ThreadUse {
    const use = this.#options.readUse();
    if (this.#held.size > 0) this.#shared += (use.active - this.#activeBefore) / this.#held.size;
    this.#activeBefore = use.active;
    return use;
  }

  #note(person: string, { held, costMs }: { readonly held: 1 | 0 | -1; readonly costMs?: number }): void {
    const presence = this.#present.get(person) ?? { costMs: undefined, held: 0, at: 0 };
    if (costMs !== undefined)
      presence.costMs = presence.costMs === undefined ? costMs : presence.costMs + weight * (costMs - presence.costMs);
    presence.held += held;
    presence.at = this.#options.clock.monotonic();
    if (this.#latest === person && this.#present.has(person)) return;
    this.#present.delete(person);
    this.#present.set(person, presence);
    this.#latest = person;
  }

  #isAlone(person: string): boolean {
    const recent = this.#options.clock.monotonic() - recentMs;
    for (const [name, { held, at }] of this.#present) {
      if (held > 0 || at >= recent) break;
      this.#present.delete(name);
    }
    return this.#present.size === (this.#present.has(person) ? 1 : 0);
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
          this.#leave(turn);
          free(turn);
        }
      this.#look();
    });
  }
}

function free(turn: Turn): void {
  for (const place of turn.places) place.free();
}

/** Also where nobody says how long it is. HTTP/1.1 has no body without one of the two headers. */
function hasLargeBody({ headers }: Request): boolean {
  return headers.has("transfer-encoding") || Number(headers.get("content-length")) > largeBytes;
}

/** That `answer` rejected before it was the request's turn. */
export const isBusy = (error: unknown): error is ToolwrightError => ToolwrightError.is(error) && error.code === "busy";

/** Those of this process: all doors serve on one thread. */
export const requestTurns = new RequestTurns({ clock: systemClock, readUse: () => performance.eventLoopUtilization() });
