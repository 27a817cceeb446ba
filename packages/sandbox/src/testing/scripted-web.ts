import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createGzip } from "node:zlib";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedWeb extends AsyncDisposable {
  readonly port: number;
  readonly received: readonly ReceivedRequest[];
  /** A plain socket to the server. */
  connect(): Promise<Socket>;
}

/**
 * A loopback server that stands for the whole web: it redirects as scripted, then answers 200. Paths that misbehave: `bomb` (10 GiB of zeros, zipped),
 * `endless`, `header` (1 MB of them), `silent`, `drop` (the socket is closed without an answer), `slow` (one byte and then nothing).
 * With `answers: false` every other path is silent too.
 */
export async function openScriptedWeb(
  redirects: readonly { readonly status: number; readonly location: string }[] = [],
  { answers = true }: { readonly answers?: boolean } = {},
): Promise<ScriptedWeb> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
    const redirect = redirects[received.length - 1];
    if (redirect) request.socket.end(`HTTP/1.1 ${redirect.status} Moved\r\nlocation: ${redirect.location}\r\ncontent-length: 0\r\n\r\n`);
    else answer(request, response, answers);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    received,
    async connect() {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      return socket;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer({ url = "" }: IncomingMessage, response: ServerResponse, answers: boolean): void {
  response.on("error", () => {});
  if (url.includes("bomb")) {
    response.setHeader("content-encoding", "gzip");
    Readable.from(zeros(10 * 1024))
      .pipe(createGzip())
      .pipe(response);
  } else if (url.includes("endless")) {
    Readable.from(zeros(Number.POSITIVE_INFINITY)).pipe(response);
  } else if (url.includes("header")) {
    for (let index = 0; index < 1_000; index++) response.setHeader(`x-${index}`, "x".repeat(1_000));
    response.end();
  } else if (url.includes("drop")) {
    response.destroy();
  } else if (url.includes("slow")) {
    response.write("x");
  } else if (answers && !url.includes("silent")) {
    response.setHeader("content-type", "text/plain").end("hello");
  }
}

function* zeros(megabytes: number): Generator<Buffer> {
  const megabyte = Buffer.alloc(1024 * 1024);
  for (let index = 0; index < megabytes; index++) yield megabyte;
}
