import { ToolwrightError } from "@toolwright/engine";
import type { Dispatcher } from "undici";
import type { Dial } from "./dial.ts";
import { dialFirst } from "./dial-first.ts";
import type { OutgoingMessage } from "./message.ts";
import { type BoundedBody, decode, readBody } from "./read-body.ts";

/** One hop: a judged URL, its checked addresses, and what is sent there. */
export interface Hop {
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly message: OutgoingMessage;
}

export interface HopLimits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  onData(): void;
  /** A socket is open, so from here on the request may have had its effect. */
  onSend(): void;
}

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  body(): Promise<BoundedBody>;
  /** The decoded body as it comes, in place of `body`. */
  stream(): AsyncIterable<Uint8Array>;
}

const maxHeaderBytes = 32_768;

/**
 * Sends one hop and hands its answer to `use`. Each hop has a client of its own, ended with it: a socket is never reused,
 * so none outlives the check of its address or carries another caller's requests.
 */
export async function exchange<Result>(
  hop: Hop,
  options: HopLimits & { readonly dial: Dial },
  use: (answer: Answer) => Promise<Result>,
): Promise<Result> {
  const { Client } = await import("undici");
  const client = new Client(hop.url.origin, {
    connect: (_target, callback) => {
      const { host, port, url, addresses } = hop;
      dialFirst(options.dial, addresses, { host, port, secure: url.protocol === "https:", signal: options.signal }).then(
        (socket) => {
          options.onSend();
          callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    },
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    return await use(toAnswer(await client.request(toRequest(hop, options)), hop, options));
  } catch (error) {
    throw explain(error, hop, options.signal);
  } finally {
    await client.destroy();
  }
}

function toRequest({ url, message }: Hop, { signal }: HopLimits): Dispatcher.RequestOptions {
  return {
    path: url.pathname + url.search,
    method: message.method,
    headers: Object.fromEntries(message.headers),
    body: message.body ?? null,
    signal,
  };
}

function toAnswer(response: Dispatcher.ResponseData, hop: Hop, limits: HopLimits): Answer {
  response.body.on("error", () => {});
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers.set(name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value);
  }
  const empty = hop.message.method === "HEAD" || response.statusCode === 204 || response.statusCode === 304;
  const coding = empty ? "" : (headers.get("content-encoding") ?? "");
  return {
    status: response.statusCode,
    headers,
    body: () => readBody(response.body, coding, limits),
    stream: () => decode(response.body, coding),
  };
}

function explain(error: unknown, { host, port }: Hop, signal: AbortSignal): unknown {
  if (ToolwrightError.is(error)) return error;
  if (signal.aborted) return signal.reason;
  const reason = (error as { code?: unknown } | undefined)?.code;
  if (reason === "UND_ERR_HEADERS_OVERFLOW") {
    return new ToolwrightError("response_too_large", `${host} sent more than ${maxHeaderBytes} bytes of headers.`, { cause: error });
  }
  const shown = typeof reason === "string" ? ` (${reason})` : "";
  return new ToolwrightError("connection_failed", `The connection to ${host}:${port} failed${shown}; try again later.`, { cause: error });
}
