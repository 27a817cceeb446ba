import type { Clock } from "@toolwright/engine/ports";

/** One event of a stream. */
interface StreamedEvent {
  readonly event?: string;
  readonly id?: string;
  /** Sent as JSON. */
  readonly data?: unknown;
  /** One line, in the place of `data`. */
  readonly text?: string;
}

export interface EventSink {
  send(event: StreamedEvent): void;
}

/** Milliseconds between signs of life: proxies give up after a minute of silence (nginx, `proxy_read_timeout`). */
const silentMs = 15_000;

const encoder = new TextEncoder();

/** An answer of server-sent events (WHATWG HTML, section 9.2). `feed` gets a signal that aborts when the client has left; `onEnd` hears that it is over: where the client has left, at once, and again when `feed` ends. */
export function streamEvents(
  feed: (sink: EventSink, signal: AbortSignal) => Promise<void>,
  clock: Clock,
  onEnd: () => void = () => {},
): Response {
  const gone = new AbortController();
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => {
        if (!gone.signal.aborted) controller.enqueue(encoder.encode(text));
      };
      const live = () => {
        write(": keepalive\n\n");
        stop = clock.after(silentMs, live);
      };
      const close = () => {
        stop();
        onEnd();
        if (gone.signal.aborted) return;
        gone.abort();
        controller.close();
      };
      live();
      feed({ send: (event) => write(formatEvent(event)) }, gone.signal).then(close, (error: unknown) => {
        stop();
        onEnd();
        if (!gone.signal.aborted) controller.error(error);
      });
    },
    cancel() {
      stop();
      gone.abort(new Error("The client left."));
      onEnd();
    },
  });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };
  return new Response(body, { headers });
}

/** JSON has no line breaks, so its text is one line. */
function formatEvent({ event, id, data, text = JSON.stringify(data) }: StreamedEvent): string {
  const lines = [...(id === undefined ? [] : [`id: ${id}`]), ...(event === undefined ? [] : [`event: ${event}`])];
  return `${[...lines, `data: ${text}`].join("\n")}\n\n`;
}
