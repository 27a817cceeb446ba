import type { Clock } from "@toolwright/engine/ports";
import type { ManagedProcess } from "../process/managed-process.ts";

/** A sandbox that was started ahead, with what it was started with. */
export interface Warm<Plan> {
  readonly process: ManagedProcess;
  readonly plan: Plan;
}

interface Waiting<Plan> extends Warm<Plan> {
  readonly key: string;
  readonly stopTimer: () => void;
}

export interface WarmPoolOptions {
  readonly clock: Clock;
  /** Sandboxes that wait at the same time, over all keys; 0 starts none ahead. */
  readonly size: number;
  /** Milliseconds after which one that nobody took is ended. */
  readonly idleMs: number;
}

/** Milliseconds after a start in which the machine is left to the command before the next sandbox is made. */
const refillDelayMs = 150;
/** Milliseconds after an end in which it is left to the answer: making a sandbox takes this process about two. */
const answerMs = 5;

/** Sandboxes that wait for their one command. Each is used once: nothing of a command is there for the next. */
export class WarmPool<Plan> {
  readonly #options: WarmPoolOptions;
  readonly #waiting = new Set<Waiting<Plan>>();
  #closed = false;

  constructor(options: WarmPoolOptions) {
    this.#options = options;
  }

  /** A waiting sandbox of that key, or a new one. Another is made in the background when this one has ended, or soon. */
  take(key: string, make: () => Warm<Plan>): Warm<Plan> {
    const found = this.#find(key);
    const taken = found ?? make();
    taken.process.setIdle(false);
    const refillOnce = once(() => this.#refill(key, make));
    void taken.process.ended.then(() => this.#options.clock.after(answerMs, refillOnce));
    this.#options.clock.after(refillDelayMs, refillOnce);
    return taken;
  }

  #find(key: string): Warm<Plan> | undefined {
    for (const waiting of this.#waiting) {
      if (waiting.key !== key || !waiting.process.alive) continue;
      this.#forget(waiting);
      return waiting;
    }
    return undefined;
  }

  #forget(waiting: Waiting<Plan>): void {
    waiting.stopTimer();
    this.#waiting.delete(waiting);
  }

  #refill(key: string, make: () => Warm<Plan>): void {
    const { size, clock, idleMs } = this.#options;
    if (this.#closed || size === 0 || [...this.#waiting].some((waiting) => waiting.key === key)) return;
    const [oldest] = this.#waiting;
    if (oldest !== undefined && this.#waiting.size >= size) this.#discard(oldest);
    const warm = attempt(make);
    if (warm === undefined) return;
    warm.process.setIdle(true);
    const waiting: Waiting<Plan> = { ...warm, key, stopTimer: clock.after(idleMs, () => this.#discard(waiting)) };
    this.#waiting.add(waiting);
    void warm.process.ended.then(() => this.#forget(waiting));
  }

  #discard(waiting: Waiting<Plan>): void {
    this.#forget(waiting);
    waiting.process.signal("SIGKILL");
  }

  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting) this.#discard(waiting);
  }
}

/** What cannot be made ahead is made, or refused, when it is asked for. */
function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

function once(callback: () => void): () => void {
  let called = false;
  return () => {
    if (!called) callback();
    called = true;
  };
}
