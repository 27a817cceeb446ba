import type { CallResult, InvokeOptions } from "@toolwright/engine";
import { type Owner, sayTaken, takenFor } from "./http/owners.ts";

/** Why a caller has no place for another call that runs on. */
interface NoCapacity {
  readonly code: "server_closing" | "too_many_calls";
  readonly message: string;
}

/** A call as its request wants it made. */
export type MakeCall = (options: InvokeOptions) => Promise<CallResult>;

/** Calls that run on when their callers have left, or wait no longer. */
export class DetachedCalls {
  readonly #running = new Map<Promise<CallResult>, Owner>();
  /** Controllers of calls that began, by callers and ids. */
  readonly #stops = new Map<string, AbortController>();
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

  /** Makes a call that keeps a place, and that its caller may cancel once it runs. */
  start(owner: Owner, make: MakeCall, options: InvokeOptions): Promise<CallResult> {
    const stop = new AbortController();
    let name = "";
    const onStart = (callId: string) => {
      name = nameOf(owner, callId);
      this.#stops.set(name, stop);
      options.onStart?.(callId);
    };
    const call = make({ ...options, onStart, signal: AbortSignal.any([this.#end.signal, stop.signal]) });
    return this.hold(
      owner,
      call.finally(() => this.#stops.delete(name)),
    );
  }

  /** False where no call of this caller runs on here under the id. */
  cancel(owner: Owner, callId: string): boolean {
    const stop = this.#stops.get(nameOf(owner, callId));
    stop?.abort(new Error("The caller cancelled the call."));
    return stop !== undefined;
  }

  /** Cancels what runs, and waits for its ending. */
  async close(): Promise<void> {
    this.#end.abort(new Error("The server is closing."));
    await Promise.allSettled(this.#running.keys());
  }
}

/** The key of an owner is of one length. */
const nameOf = ({ owner }: Owner, callId: string) => owner + callId;
