/** How often something may happen: `count` in each window of `windowMs`. */
export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

export type Reservation = { readonly granted: true; release(): void } | { readonly granted: false; readonly retryAfterMs: number };

/** *Contract:* a granted reservation counts until its window ends, unless it is released because the call did not run. */
export interface Limiter {
  reserve(key: string, rate: Rate, now: number): Reservation | Promise<Reservation>;
}
