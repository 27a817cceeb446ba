import { ToolwrightError } from "@toolwright/engine";
import type { Clock, Ids } from "@toolwright/engine/ports";
import { type Owner, sayTaken, takenFor } from "../../http/owners.ts";
import type { CallConversation } from "./call-conversation.ts";

interface Waiting extends Owner {
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

  /**
   * Returns the handle under which `take` finds it; ends the call when nobody comes in time. When there is no place for it, the caller's own that
   * waits longest ends; when none is their own, this one does, and `rate_limited` is thrown.
   */
  put(caller: Owner, conversation: CallConversation): string {
    const { clock, ids, ttlMs } = this.#parts;
    this.#makeRoom(caller, conversation);
    const handle = ids.next("ask");
    const stopTimer = clock.after(ttlMs, () => this.#end(handle, "The client did not answer in time."));
    this.#waiting.set(handle, { ...caller, conversation, stopTimer });
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

  #makeRoom(caller: Owner, conversation: CallConversation): void {
    const taken = takenFor(caller, this.#waiting.values(), this.#parts.max);
    if (!taken) return;
    const [oldest] = [...this.#waiting].find(([, { owner }]) => owner === caller.owner) ?? [];
    if (oldest !== undefined) {
      this.#end(oldest, "Too many calls wait for their clients.");
      return;
    }
    const words = sayTaken(taken, "calls that wait for their clients");
    conversation.end(words);
    throw new ToolwrightError("rate_limited", words);
  }

  #end(handle: string, reason: string): void {
    const waiting = this.#waiting.get(handle);
    this.#waiting.delete(handle);
    waiting?.stopTimer();
    waiting?.conversation.end(reason);
  }
}
