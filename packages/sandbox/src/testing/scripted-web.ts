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

/** A hop: where it leads with status 302, or all of it. Without a location it leads nowhere. */
export type ScriptedRedirect =
  | string
  | { readonly status: number; readonly location?: string | null; readonly headers?: Readonly<Record<string, string>> };

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
  redirects: readonly ScriptedRedirect[] = [],
  { answers = true }: { readonly answers?: boolean } = {},
): Promise<ScriptedWeb> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
    const redirect = redirects[received.length - 1];
    if (redirect) request.socket.end(writeRedirect(redirect));
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

function writeRedirect(redirect: ScriptedRedirect): string {
  const { status, location, headers = {} } = typeof redirect === "string" ? { status: 302, location: redirect } : redirect;
  // A line break would end the header; URL parsers drop it as they drop a tab, which a header can hold.
  const given = typeof location === "string" ? { location: location.replace(/[\r\n]+/g, "\t") } : {};
  const lines = Object.entries({ ...given, ...headers, "content-length": "0" }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Moved\r\n${lines.join("")}\r\n`;
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
