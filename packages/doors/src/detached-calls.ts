import type { CallResult } from "@toolwright/engine";
import { type Owner, sayTaken, takenFor } from "./http/owners.ts";

/** Why a caller has no place for another call that runs on. */
export interface NoCapacity {
  readonly code: "server_closing" | "too_many_calls";
  readonly message: string;
}

/** Calls that run on when their callers have left, or wait no longer. */
export class DetachedCalls {
  readonly #running = new Map<Promise<CallResult>, Owner>();
  readonly #end = new AbortController();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Ends all of them when the door closes. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Undefined for a caller that has a place for another one. */
  refuse(owner: Owner): NoCapacity | undefined {
    if (this.#end.signal.aborted) return { code: "server_closing", message: "The server is closing. Try again at another one." };
    const taken = takenFor(owner, this.#running.values(), this.#max);
    return taken && { code: "too_many_calls", message: sayTaken(taken, "calls that run on by themselves") };
  }

  /** Keeps a place for the call until it ends. */
  hold(owner: Owner, call: Promise<CallResult>): Promise<CallResult> {
    this.#running.set(call, owner);
    void call.finally(() => this.#running.delete(call));
    return call;
  }

  /** Cancels what runs, and waits for its ending. */
  async close(): Promise<void> {
    this.#end.abort(new Error("The server is closing."));
    await Promise.allSettled(this.#running.keys());
  }
}
