import { ToolwrightError } from "../contract/errors.ts";
import type { Principal } from "../contract/principal.ts";
import type { Clock } from "./clock.ts";

/** Who takes a place of a pool: a person of a tenant, or a program that acts for nobody. */
export interface Sharer {
  readonly tenant: string;
  /** `user` and the person's id; for a program without a person its kind and id. */
  readonly person: string;
}

/** The capacity of a pool whose places each keep a processor busy: as many as this machine has, from 2 to 8. */
export const processorPoolCapacity = Math.min(8, Math.max(2, globalThis.navigator?.hardwareConcurrency ?? 2));

export interface FairPoolOptions {
  /** What runs in the places, in the plural, for messages: `programs`. */
  readonly things: string;
  /** Places in all. */
  readonly capacity: number;
  /** Places of one tenant at most, also while nobody waits. Default: all. */
  readonly mostOfTenant?: number;
  /** Places of one person at most, also while nobody waits. Default: as many as a tenant's. */
  readonly mostOfPerson?: number;
  /** Requests of one person that wait at once; a tenant may have four times as many. Default 16. */
  readonly mostWaiting?: number;
  /** Milliseconds that a request waits before it is refused. Default 30,000. */
  readonly mostWaitMs?: number;
  readonly clock: Clock;
}

interface PoolSlotOptions {
  /** Ends the wait: `take` rejects with its reason. */
  readonly signal?: AbortSignal;
  /** For what gave its place back while it waited for something else: it goes before other requests of its person, and is never refused. */
  readonly isBack?: boolean;
}

/** A place that somebody holds. */
export interface PoolSlot {
  readonly sharer: Sharer;
  /** Gives the place to whom it is due. Doing it again changes nothing. */
  free(): void;
}

interface Waiter {
  readonly sharer: Sharer;
  readonly go: (place: PoolSlot) => void;
}

interface Share {
  held: number;
  /** Requests that wait. */
  waiting: number;
}

interface PersonShare extends Share {
  readonly queue: Waiter[];
}

interface TenantShare extends Share {
  /** In the order of their turns. */
  readonly persons: Map<string, PersonShare>;
}

/** Milliseconds that a place is taken to be held before any was given back. */
const firstGuessMs = 5_000;
/** How much the last place counts for the mean. */
const weight = 0.2;
const shortestWaitMs = 1_000;
const longestWaitMs = 5 * 60_000;

/**
 * Places of this process that tenants share, and the people of each tenant. One who is alone may take all. While several wait, a free place goes to the
 * tenant that holds the fewest, and there to the person who holds the fewest; among equals to the one whose last turn was longest ago. So nobody is given
 * more than half while another waits, and who holds nothing waits for at most one place of each of the others.
 */
export class FairPool {
  readonly #options: Required<FairPoolOptions>;
  /** In the order of their turns. */
  readonly #tenants = new Map<string, TenantShare>();
  #held = 0;
  #meanMs = firstGuessMs;

  constructor(options: FairPoolOptions) {
    const { capacity, mostOfTenant = capacity, mostOfPerson = mostOfTenant, mostWaiting = 16, mostWaitMs = 30_000, ...rest } = options;
    this.#options = { capacity, mostOfTenant, mostOfPerson, mostWaiting, mostWaitMs, ...rest };
  }

  /** Places that are held. */
  get held(): number {
    return this.#held;
  }

  /** True while a request waits. */
  get isAwaited(): boolean {
    return [...this.#tenants.values()].some(({ waiting }) => waiting > 0);
  }

  /** Places that a tenant holds, or one of its people. */
  heldBy({ tenant, person }: { readonly tenant: string; readonly person?: string }): number {
    const share = this.#tenants.get(tenant);
    return (person === undefined ? share : share?.persons.get(person))?.held ?? 0;
  }

  /**
   * Resolves to a place when it is the sharer's turn. Rejects with `busy`, which says when to try again, where the sharer has too many requests that wait
   * or this one waited for too long.
   */
  async take(sharer: Sharer, { signal, isBack = false }: PoolSlotOptions = {}): Promise<PoolSlot> {
    signal?.throwIfAborted();
    const place = this.tryTake(sharer);
    if (place) return place;
    if (!isBack && this.#isQueueFull(sharer)) throw this.busy(sharer);
    const { clock, mostWaitMs } = this.#options;
    return new Promise((resolve, reject) => {
      const settle = () => {
        signal?.removeEventListener("abort", abort);
        stopTimer();
      };
      const waiter = {
        sharer,
        go: (granted: PoolSlot) => {
          settle();
          resolve(granted);
        },
      };
      const leave = (why: () => unknown) => {
        settle();
        this.#leave(waiter);
        reject(why());
      };
      const abort = () => leave(() => signal?.reason);
      const stopTimer = isBack ? () => {} : clock.after(mostWaitMs, () => leave(() => this.busy(sharer)));
      signal?.addEventListener("abort", abort, { once: true });
      this.#enqueue(waiter, isBack);
    });
  }

  /** A place that is free for this sharer at once. */
  tryTake(sharer: Sharer): PoolSlot | undefined {
    const { capacity, mostOfTenant, mostOfPerson } = this.#options;
    // A place is free beside requests that wait only where those have all that they may have.
    const isFree = this.#held < capacity && this.heldBy({ tenant: sharer.tenant }) < mostOfTenant && this.heldBy(sharer) < mostOfPerson;
    return isFree ? this.#give(sharer) : undefined;
  }

  /** True while somebody waits who holds at least two places fewer: what can be ended without harm is then ended. */
  shouldYield({ tenant, person }: Sharer): boolean {
    const mine = this.#tenants.get(tenant);
    const own = mine?.persons.get(person);
    if (!mine || !own) return false;
    const waitsWithLess = (than: Share, others: Iterable<Share>) =>
      [...others].some((each) => each.waiting > 0 && each.held + 1 < than.held);
    return waitsWithLess(mine, this.#tenants.values()) || waitsWithLess(own, mine.persons.values());
  }

  /** Why a sharer gets no place now, and when to try again. */
  busy(sharer: Sharer): ToolwrightError {
    const { things, capacity } = this.#options;
    const before = this.#tenants.get(sharer.tenant)?.persons.get(sharer.person)?.waiting ?? 0;
    const wanted = (this.#meanMs * (before + 1)) / Math.max(1, Math.floor(capacity / 2));
    const retryAfterMs = Math.round(Math.min(longestWaitMs, Math.max(shortestWaitMs, wanted)));
    const own = before > 0 ? `, and you have ${before} ${before === 1 ? "request" : "requests"} waiting` : "";
    const message = `This server is busy: ${this.#held} of ${capacity} places for ${things} are in use${own}. Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`;
    return new ToolwrightError("busy", message, { details: { rule: things, retryAfterMs } });
  }

  #isQueueFull({ tenant, person }: Sharer): boolean {
    const { mostWaiting } = this.#options;
    const share = this.#tenants.get(tenant);
    return (share?.waiting ?? 0) >= 4 * mostWaiting || (share?.persons.get(person)?.waiting ?? 0) >= mostWaiting;
  }

  #shareOf({ tenant, person }: Sharer): readonly [TenantShare, PersonShare] {
    const share = this.#tenants.get(tenant) ?? { held: 0, waiting: 0, persons: new Map<string, PersonShare>() };
    this.#tenants.set(tenant, share);
    const own = share.persons.get(person) ?? { held: 0, waiting: 0, queue: [] };
    share.persons.set(person, own);
    return [share, own];
  }

  #enqueue(waiter: Waiter, isBack: boolean): void {
    const { tenant, person } = waiter.sharer;
    const [share, own] = this.#shareOf(waiter.sharer);
    if (share.waiting === 0) moveBehind(this.#tenants, tenant);
    if (own.waiting === 0) moveBehind(share.persons, person);
    if (isBack) own.queue.unshift(waiter);
    else own.queue.push(waiter);
    this.#count(waiter.sharer, "waiting", 1);
  }

  #leave(waiter: Waiter): void {
    const [, { queue }] = this.#shareOf(waiter.sharer);
    queue.splice(queue.indexOf(waiter), 1);
    this.#count(waiter.sharer, "waiting", -1);
  }

  #give(sharer: Sharer): PoolSlot {
    this.#count(sharer, "held", 1);
    const { clock } = this.#options;
    const since = clock.monotonic();
    let isHeld = true;
    return {
      sharer,
      free: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#meanMs += weight * (clock.monotonic() - since - this.#meanMs);
        this.#count(sharer, "held", -1);
        this.#hand();
      },
    };
  }

  #hand(): void {
    if (this.#held >= this.#options.capacity) return;
    const next = this.#nextPerson();
    if (!next) return;
    const { tenant, person, share, own } = next;
    const waiter = own.queue.shift() as Waiter;
    const place = this.#give(waiter.sharer);
    this.#count(waiter.sharer, "waiting", -1);
    // Their next turn is after that of all others that wait.
    moveBehind(this.#tenants, tenant);
    moveBehind(share.persons, person);
    waiter.go(place);
  }

  #nextPerson() {
    const { mostOfTenant, mostOfPerson } = this.#options;
    let best: { readonly tenant: string; readonly person: string; readonly share: TenantShare; readonly own: PersonShare } | undefined;
    for (const [tenant, share] of this.#tenants) {
      if (share.held >= mostOfTenant || share.waiting === 0 || (best && best.share.held <= share.held)) continue;
      let fewest: readonly [string, PersonShare] | undefined;
      for (const each of share.persons) {
        const { held, waiting } = each[1];
        if (waiting > 0 && held < mostOfPerson && (!fewest || held < fewest[1].held)) fewest = each;
      }
      if (fewest) best = { tenant, person: fewest[0], share, own: fewest[1] };
    }
    return best;
  }

  #count(sharer: Sharer, what: keyof Share, step: 1 | -1): void {
    const [share, own] = this.#shareOf(sharer);
    share[what] += step;
    own[what] += step;
    if (what === "held") this.#held += step;
    if (own.held + own.waiting === 0) share.persons.delete(sharer.person);
    if (share.persons.size === 0) this.#tenants.delete(sharer.tenant);
  }
}

function moveBehind<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

/** For whom a principal takes a place: the person who asks, or for whom an agent works; else the program at the root of what acts. */
export function sharerOf({ tenant, actor, onBehalfOf, delegated }: Principal): Sharer {
  if (actor.kind !== "user" && onBehalfOf === undefined && delegated) return sharerOf(delegated.from);
  return { tenant, person: actor.kind !== "user" && onBehalfOf !== undefined ? `user ${onBehalfOf}` : `${actor.kind} ${actor.id}` };
}
