import { createMcpHandler, McpServer, Server } from "@modelcontextprotocol/server";
import { createMcpDoor, openAccess } from "@toolwright/doors/mcp";
import { createEngine, defineTool } from "@toolwright/engine";
import { z } from "zod";
const input = z.object({ a: z.int(), b: z.int() }); const output = z.object({ sum: z.int() });
const names = Array.from({ length: 101 }, (_, i) => `add_${i}`);
const engine = createEngine({ tools: names.map((name) => defineTool({ name, description: "d", input, output, run: ({ a, b }) => ({ sum: a + b }) })) });
const principal = { tenant: "b", actor: { kind: "user", id: "b" }, permissions: [], door: "mcp" } as const;
const door = createMcpDoor({ engine, serverInfo: { name: "b", version: "1" }, authentication: openAccess(principal) });
const peer = createMcpHandler(() => { const s = new McpServer({ name: "b", version: "1" }); for (const n of names) s.registerTool(n, { description: "d", inputSchema: input, outputSchema: output }, ({ a, b }) => ({ content: [{ type: "text", text: JSON.stringify({ sum: a + b }) }], structuredContent: { sum: a + b } })); return s; });
const low = createMcpHandler(() => { const s = new Server({ name: "b", version: "1" }, { capabilities: { tools: {} } }); s.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "{}" }], structuredContent: { sum: 5 } })); return s; });
const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "b", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} };
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add_5", arguments: { a: 2, b: 3 }, _meta: meta } });
const mk = () => new Request("http://localhost:1/mcp", { method: "POST", headers: { host: "localhost:1", "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "add_5" }, body });
const scope = engine.scope({ ...principal, interactive: false }, { session: "s" });
const run: Record<string, () => Promise<unknown>> = {
  request: async () => mk(),
  invoke: () => scope.invoke("add_5", { a: 2, b: 3 }),
  ours: async () => (await door.fetch(mk())).text(),
  low: async () => (await low.fetch(mk())).text(),
  lowParsed: async () => (await low.fetch(mk(), { parsedBody: JSON.parse(body) })).text(),
  peer: async () => (await peer.fetch(mk())).text(),
};
console.log(await run.ours());
const which = process.argv[2] ?? "ours"; for (let i=0;i<2000;i++) await run[which]!();
const t=performance.now(); for (let i=0;i<25000;i++) await run[which]!(); console.log(which, (performance.now()-t)/25, "us"); process.exit();