import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";

export type FetchHandler = (request: Request) => Response | Promise<Response>;

/** Serves a fetch handler on `node:http`. The request's signal aborts when the client goes away before the answer is out. */
export function nodeListener(handle: FetchHandler, onError: (error: unknown) => void): RequestListener {
  return (incoming, outgoing) => {
    serve(handle, incoming, outgoing).catch((error: unknown) => {
      onError(error);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(500, { "content-type": "text/plain" }).end("Internal error. The server's log says more.\n");
    });
  };
}

async function serve(handle: FetchHandler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) gone.abort(new Error("The client went away."));
  });
  const request = toRequest(incoming, gone.signal);
  if (!request) {
    outgoing.writeHead(400, { "content-type": "text/plain" }).end("The Host header or the path is not a valid URL.\n");
    return;
  }
  await send(await handle(request), outgoing, gone.signal);
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const url = URL.parse(`http://${incoming.headers.host ?? "localhost"}${incoming.url ?? "/"}`);
  if (!url) return undefined;
  const method = incoming.method ?? "GET";
  const hasBody = method !== "GET" && method !== "HEAD";
  const headers = new Headers();
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index] as string, incoming.rawHeaders[index + 1] as string);
  }
  const body = hasBody ? Readable.toWeb(incoming) : null;
  return new Request(url, { method, headers, signal, body, duplex: "half" } as RequestInit);
}

async function send(response: Response, outgoing: ServerResponse, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return void response.body?.cancel();
  outgoing.writeHead(response.status, [...response.headers].flat());
  if (!response.body) return void outgoing.end();
  // A stream of events may be silent for long: its head must not wait for the first of them.
  outgoing.flushHeaders();
  try {
    await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
  } catch (error) {
    if (!gone.aborted) throw error;
  }
}
