import type { Clock, Ids } from "@toolwright/engine";
import type { CallConversation } from "./call-conversation.ts";

interface Waiting {
  readonly owner: string;
  readonly conversation: CallConversation;
  readonly stopTimer: () => void;
}

/** Calls whose tool waits for the client, in this process. Each handle is taken once (R-MC-11). */
export class Conversations {
  readonly #waiting = new Map<string, Waiting>();
  readonly #parts: { readonly clock: Clock; readonly ids: Ids; readonly ttlMs: number; readonly max: number };

  constructor(parts: { clock: Clock; ids: Ids; ttlMs: number; max: number }) {
    this.#parts = parts;
  }

  /** Returns the handle under which `take` finds it; ends the call when nobody comes in time. */
  put(owner: string, conversation: CallConversation): string {
    const { clock, ids, ttlMs, max } = this.#parts;
    const oldest = this.#waiting.size >= max ? this.#waiting.keys().next().value : undefined;
    if (oldest !== undefined) this.#end(oldest, "Too many calls wait for their clients.");
    const handle = ids.next("ask");
    const stopTimer = clock.after(ttlMs, () => this.#end(handle, "The client did not answer in time."));
    this.#waiting.set(handle, { owner, conversation, stopTimer });
    return handle;
  }

  take(owner: string, handle: string): CallConversation | undefined {
    const waiting = this.#waiting.get(handle);
    if (waiting?.owner !== owner) return undefined;
    this.#waiting.delete(handle);
    waiting.stopTimer();
    return waiting.conversation;
  }

  close(): void {
    for (const handle of this.#waiting.keys()) this.#end(handle, "The server is stopping.");
  }

  #end(handle: string, reason: string): void {
    const waiting = this.#waiting.get(handle);
    this.#waiting.delete(handle);
    waiting?.stopTimer();
    waiting?.conversation.end(reason);
  }
}
