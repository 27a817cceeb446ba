import type { RequestId } from "@modelcontextprotocol/server";
import type { Clock } from "@toolwright/engine/ports";

interface AttendedCall {
  /** Streams on which its client would hear the answer. */
  streams: number;
  stopTimer: () => void;
}

interface AttendedCallsOptions {
  readonly clock: Clock;
  /** Milliseconds that a client has to come back for an answer. */
  readonly graceMs: number;
  /** Hears of a request whose client did not come back. */
  readonly onLeft: (id: RequestId) => void;
}

/** Requests of one session that are not answered yet, and whether anybody still waits for them: many clients leave without a word. */
export class AttendedCalls {
  readonly #calls = new Map<RequestId, AttendedCall>();
  readonly #options: AttendedCallsOptions;

  constructor(options: AttendedCallsOptions) {
    this.#options = options;
  }

  get ids(): readonly RequestId[] {
    return [...this.#calls.keys()];
  }

  begin(id: RequestId): void {
    if (!this.#calls.has(id)) this.#calls.set(id, { streams: 0, stopTimer() {} });
  }

  /** A stream for its answer begins; returns how to say that the stream ended. */
  attend(id: RequestId): () => void {
    const call = this.#calls.get(id);
    if (!call) return () => {};
    call.stopTimer();
    call.streams++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      call.streams--;
      if (call.streams === 0 && this.#calls.get(id) === call) this.#waitFor(id, call);
    };
  }

  end(id: RequestId): void {
    this.#calls.get(id)?.stopTimer();
    this.#calls.delete(id);
  }

  close(): void {
    for (const id of this.ids) this.end(id);
  }

  #waitFor(id: RequestId, call: AttendedCall): void {
    const { clock, graceMs, onLeft } = this.#options;
    call.stopTimer = clock.after(graceMs, () => {
      if (!this.#calls.delete(id)) return;
      onLeft(id);
    });
  }
}
