import type { ClientOptions } from "./client-types.ts";
import { notOurs, RequestError, readProblem } from "./request-error.ts";

/** A request below the door's path. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string | FormData | undefined;
  /** Those that are undefined are not sent. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request. Rejects with a `RequestError` for an answer that is no success, and with the signal's reason when that aborts. */
export type Send = (request: Sent) => Promise<Response>;

export function createSend({ url, key, path: base = "/api", fetch: ask = fetch }: ClientOptions): Send {
  const root = url.replace(/(?<!\/)\/+$/, "") + base;
  return async ({ method, path, body, headers, signal }) => {
    const all = {
      accept: "application/json",
      authorization: key && `Bearer ${key}`,
      "content-type": typeof body === "string" ? "application/json" : undefined,
      ...headers,
    };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    let response: Response;
    try {
      response = await ask(root + path, { method, headers: given, body: body ?? null, signal: signal ?? null });
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw new RequestError("connection_failed", `The server ${root} does not answer. Check the address, and that it runs.`, { cause });
    }
    if (!response.ok) throw await readProblem(response);
    return response;
  };
}

/** The JSON of an answer; rejects for an answer that is none. */
export async function readJson<Value>(response: Response): Promise<Value> {
  try {
    return (await response.json()) as Value;
  } catch {
    throw notOurs(response);
  }
}

/** The events of an answer; throws for an answer that is no stream. */
export function bodyOf(response: Response): ReadableStream<Uint8Array> {
  if (response.body && response.headers.get("content-type")?.startsWith("text/event-stream")) return response.body;
  throw new RequestError("operation_unavailable", `${response.url} answers once and cannot be followed.`);
}
