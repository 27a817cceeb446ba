import type { Clock } from "@toolwright/engine/ports";

/** Milliseconds of silence until a stream begins, and between its signs of life: proxies give up after a minute (nginx, `proxy_read_timeout`). */
const silentMs = 15_000;

const signOfLife = new TextEncoder().encode(": keepalive\n\n");

/**
 * The answer, as it is when it comes soon. When it takes long and the client reads streams, one begins before it with comments that keep the
 * connection, and brings it in the end (MCP 2026-07-28, Streamable HTTP). `answer` must not reject.
 */
export function streamLate(request: Request, answer: Promise<Response>, clock: Clock): Promise<Response> {
  if (request.method !== "POST" || !request.headers.get("accept")?.includes("text/event-stream")) return answer;
  return new Promise((resolve) => {
    const stop = clock.after(silentMs, () => resolve(streamOf(answer, clock)));
    void answer.then((soon) => {
      stop();
      resolve(soon);
    });
  });
}

function streamOf(answer: Promise<Response>, clock: Clock): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void bring(answer, writable, clock);
  const headers = { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" };
  return new Response(readable, { headers });
}

async function bring(answer: Promise<Response>, stream: WritableStream<Uint8Array>, clock: Clock): Promise<void> {
  const writer = stream.getWriter();
  let stop = () => {};
  const live = () => {
    // Nobody waits for a client that is slow, or gone.
    writer.write(signOfLife).catch(() => {});
    stop = clock.after(silentMs, live);
  };
  live();
  writer.closed.catch(() => stop());
  const late = await answer;
  stop();
  writer.releaseLock();
  // A client that has gone ends this, and with it what it asked for.
  await (await streamIn(late)).pipeTo(stream).catch(() => {});
}

async function streamIn(answer: Response): Promise<ReadableStream<Uint8Array>> {
  const { body, headers } = answer;
  if (body && headers.get("content-type")?.startsWith("text/event-stream")) return body;
  // JSON has no line breaks but between tokens, where none are needed.
  const data = (await answer.text()).replace(/[\r\n]+/g, " ");
  return new Blob([`event: message\ndata: ${data}\n\n`]).stream();
}
