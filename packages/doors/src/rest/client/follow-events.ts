import type { Clock } from "@toolwright/engine/ports";
import { readEvents } from "./read-events.ts";
import { RequestError } from "./request-error.ts";
import { bodyOf, type Send, type Sent } from "./send.ts";

/** Milliseconds before a lost stream is opened again: at first, and at most. */
const [first, longest] = [1_000, 5_000];

const timers: Pick<Clock, "after"> = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

interface Following {
  /** Default: the platform's timers. */
  readonly clock?: Pick<Clock, "after"> | undefined;
  readonly onLost?: (() => void) | undefined;
}

/** The items of a stream, which goes on after the last one when its connection is lost. Ends when the signal aborts. */
export async function* followEvents(request: Sent, send: Send, { clock = timers, onLost }: Following = {}): AsyncGenerator<unknown> {
  const { signal, headers } = request;
  let last: string | undefined;
  let waitMs = 0;
  while (!signal?.aborted) {
    try {
      const body = bodyOf(await send({ ...request, headers: { ...headers, accept: "text/event-stream", "last-event-id": last } }));
      waitMs = first;
      for await (const { event, id, data } of readEvents(body)) {
        // Says why the server ends the stream. Asked again, it refuses with the same code, or goes on where the cause is gone.
        if (event === "error") break;
        last = id ?? last;
        yield JSON.parse(data);
      }
    } catch (error) {
      if (signal?.aborted) return;
      // Who never came in, or is refused now, learns why. Another server may answer later.
      if (waitMs === 0 || (error instanceof RequestError && (error.status ?? 500) < 500)) throw error;
    }
    if (signal?.aborted) return;
    onLost?.();
    await new Promise<void>((resolve) => {
      const stop = clock.after(waitMs, resolve);
      signal?.addEventListener("abort", () => resolve(stop()), { once: true });
    });
    waitMs = Math.min(waitMs * 2, longest);
  }
}
