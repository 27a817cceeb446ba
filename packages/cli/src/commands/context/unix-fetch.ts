import type { IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { getBuiltinModule } from "node:process";
import { Readable } from "node:stream";

/** As an import it would evaluate all that it exports, fetch and WebSocket among them. */
const { request } = getBuiltinModule("node:http");

/** False where nobody listens on the unix socket. */
export function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}

interface Speaking {
  /** Headers that each request gets, beside its own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly onAnswer: (headers: IncomingHttpHeaders) => void;
}

/** `fetch` over a unix socket. The platform's own speaks TCP alone. */
export function unixFetch(socketPath: string, { headers: more, onAnswer }: Speaking): typeof fetch {
  return (url, { method = "GET", headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(String(url));
      const sent = Object.fromEntries(headers as [string, string][]);
      const options = { socketPath, method, path: `${pathname}${search}`, headers: { ...sent, ...more }, ...(signal && { signal }) };
      const asked = request(options, (answer) => {
        const { statusCode: status = 500, headers: given } = answer;
        onAnswer(given);
        const fields = Object.entries(given).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)] as [string, string]],
        );
        const isEmpty = status === 204 || status === 304;
        resolve(new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>), { status, headers: fields }));
      });
      asked.once("error", reject);
      asked.end(typeof body === "string" ? body : undefined);
    });
}
