import type { Server } from "@modelcontextprotocol/server";
import type { SessionTransport } from "./session-transport.ts";

/** The handshake of a session that this process did not see, from what its client sent then: nobody else tells what the client can do. */
export async function reopen(
  { server, transport }: { readonly server: Server; readonly transport: SessionTransport },
  opening: string,
): Promise<void> {
  await server.connect(transport);
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const request = new Request("http://localhost/", { method: "POST", headers });
  const parsedBody = { jsonrpc: "2.0", id: "reopen", method: "initialize", params: JSON.parse(opening) };
  await (await transport.handleRequest(request, { parsedBody })).text();
  transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/initialized" });
}
