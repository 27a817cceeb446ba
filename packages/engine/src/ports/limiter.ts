/** How often something may happen: `count` in each window of `windowMs`. */
export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

/** What is counted together. */
export interface RateSubject {
  readonly tenant: string;
  /** Whom of the tenant, and by which rule. */
  readonly key: string;
}

export type Reservation =
  | { readonly granted: true; release(): void | Promise<void> }
  | { readonly granted: false; readonly retryAfterMs: number };

/**
 * *Contract:* a sliding window: never more than `count` reservations of one subject lie within any `windowMs`, over all processes on the same
 * store. A granted one counts until its window ends, unless it is released because the call did not run; releasing never rejects.
 */
export interface Limiter {
  /** `now` in milliseconds since the epoch. */
  reserve(subject: RateSubject, rate: Rate, now: number): Reservation | Promise<Reservation>;
  /** Reservations of the subject that count now, in a window of so many milliseconds. */
  count(subject: RateSubject, windowMs: number, now: number): number | Promise<number>;
}
