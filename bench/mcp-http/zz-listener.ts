import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
export function nodeListener2(handle: any, onError: (e: unknown) => void): RequestListener {
  return (i, o) => { serve(handle, i, o).catch((e) => { onError(e); o.destroy(); }); };
}
async function serve(handle: any, incoming: IncomingMessage, outgoing: ServerResponse) {
  const gone = new AbortController();
  outgoing.on("close", () => { if (!outgoing.writableFinished) gone.abort(new Error("gone")); });
  const url = URL.parse(`http://${incoming.headers.host ?? "localhost"}${incoming.url ?? "/"}`)!;
  const method = incoming.method ?? "GET"; const hasBody = method !== "GET" && method !== "HEAD";
  const headers = new Headers();
  for (let k = 0; k < incoming.rawHeaders.length; k += 2) headers.append(incoming.rawHeaders[k]!, incoming.rawHeaders[k + 1]!);
  const length = Number(incoming.headers["content-length"]);
  const body = !hasBody ? null : length <= 65536 ? await collect(incoming) : Readable.toWeb(incoming);
  const request = new Request(url, { method, headers, signal: gone.signal, body, duplex: "half" } as RequestInit);
  await send(await handle(request), outgoing, gone.signal);
}
async function collect(incoming: IncomingMessage) { const chunks: Buffer[] = []; for await (const c of incoming) chunks.push(c); return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks); }
async function send(response: Response, outgoing: ServerResponse, gone: AbortSignal) {
  const type = response.headers.get("content-type") ?? "";
  if (response.body && !type.startsWith("text/event-stream")) { const bytes = Buffer.from(await response.arrayBuffer()); outgoing.writeHead(response.status, [...response.headers, ["content-length", String(bytes.length)]].flat()); outgoing.end(bytes); return; }
  outgoing.writeHead(response.status, [...response.headers].flat());
  if (!response.body) return void outgoing.end();
  outgoing.flushHeaders();
  await pipeline(Readable.fromWeb(response.body as never), outgoing);
}
