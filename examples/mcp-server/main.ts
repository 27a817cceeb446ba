import assert from "node:assert/strict";
import { createMcpDoor, tokenAccess } from "@toolwright/doors/mcp";
import { createEngine, defineTool } from "@toolwright/engine";
import { listen } from "@toolwright/server/http";
import { z } from "zod";

const add = defineTool({
  name: "add",
  description: "Add two numbers. For anything longer write the sum out in full.",
  input: z.object({ a: z.number().describe("First"), b: z.number().describe("Second") }),
  output: z.object({ sum: z.number() }),
  run: ({ a, b }) => ({ sum: a + b }),
});

// #region serve
const engine = createEngine({ tools: [add] });
const door = createMcpDoor({
  engine,
  serverInfo: { name: "example", version: "1.0.0" },
  authentication: tokenAccess("a-token-of-at-least-16-characters", {
    tenant: "acme",
    actor: { kind: "user", id: "ann" },
    permissions: [],
    door: "mcp",
  }),
});
const server = await listen((request) => door.fetch(request), { host: "127.0.0.1", port: 0, onError: console.error });
// #endregion

const url = `${server.url}/mcp`;

const call = (token: string) =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "add",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "add",
        arguments: { a: 1, b: 2 },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "example", version: "1.0.0" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });

assert.equal((await call("another-token-of-16-characters")).status, 401);
assert.match(await (await call("a-token-of-at-least-16-characters")).text(), /"structuredContent":\{"sum":3\}/);

await server.close(0, () => door.close());
await engine.close();
console.log("mcp-server: the bearer of the token was served, a stranger was not.");
