import type { Clock } from "@toolwright/engine";

interface Pending {
  readonly approval: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Which approval a repeated call waits for, so that repeating it resumes it instead of asking again. Bounded; forgetting one only asks anew. */
export class PendingCalls {
  readonly #approvals = new Map<string, Pending>();
  readonly #clock: Clock;
  readonly #max: number;

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  get isEmpty(): boolean {
    return this.#approvals.size === 0;
  }

  remember(key: string, pending: Pending): void {
    this.#approvals.delete(key);
    const oldest = this.#approvals.size >= this.#max ? this.#approvals.keys().next().value : undefined;
    if (oldest !== undefined) this.#approvals.delete(oldest);
    this.#approvals.set(key, pending);
  }

  find(key: string): string | undefined {
    const pending = this.#approvals.get(key);
    if (pending && pending.expiresAt > this.#clock.now()) return pending.approval;
    this.#approvals.delete(key);
    return undefined;
  }

  forget(key: string): void {
    this.#approvals.delete(key);
  }
}
