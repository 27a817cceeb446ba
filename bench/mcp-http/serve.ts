import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve as serveHono } from "@hono/node-server";
import { createMcpHandler, type McpHttpHandler, McpServer } from "@modelcontextprotocol/server";
import { createMcpDoor, type McpDoor, openAccess } from "@toolwright/doors/mcp";
import { createEngine, defineTool, type EngineOptions } from "@toolwright/engine";
import { openStore } from "@toolwright/postgres";
import { listen } from "@toolwright/server/http";
import { Hono } from "hono";
import { z } from "zod";

/** node serve.ts <ours | logged | peer | bare> [tools]: the same tools behind the same listener, at /mcp. Prints its origin. */
const serverInfo = { name: "bench", version: "1.0.0" };
const description = "Adds two whole numbers. Use it for sums; for other arithmetic use another tool.";
const input = z.object({ a: z.int().describe("First number"), b: z.int().describe("Second number") });
const output = z.object({ sum: z.int() });
const names = Array.from({ length: Number(process.argv[3] ?? 101) }, (_, index) => `add_${index}`);

function ours(kept: EngineOptions = {}) {
  const tools = names.map((name) => defineTool({ name, description, input, output, run: ({ a, b }) => ({ sum: a + b }) }));
  const principal = { tenant: "default", actor: { kind: "user", id: "bench" }, permissions: [], door: "mcp" } as const;
  return createMcpDoor({ engine: createEngine({ tools, ...kept }), serverInfo, authentication: openAccess(principal) });
}

/** With a log, approvals and all else in the embedded store, as in the product. */
async function logged() {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-bench-mcp-"));
  process.once("SIGTERM", () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  });
  const store = await openStore({ folder, process: "bench", holder: "the benchmark" });
  const { approvals, grants, limiter, idempotency, artifacts, events, clock } = store;
  return ours({ approvals, grants, limiter, idempotency, artifacts, events, clock });
}

/** As its documentation says: a factory that makes a server for each request. */
function peer() {
  return createMcpHandler(() => {
    const server = new McpServer(serverInfo);
    for (const name of names) {
      server.registerTool(name, { description, inputSchema: input, outputSchema: output }, ({ a, b }) => {
        const structuredContent = { sum: a + b };
        return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
      });
    }
    return server;
  });
}

/** No protocol, no gate, no log: a route that checks its input and its output, behind the listener that Hono comes with. */
function bare() {
  const tools = new Map(names.map((name) => [name, { input, run: ({ a, b }: z.output<typeof input>) => ({ sum: a + b }) }]));
  const asked = z.object({ params: z.object({ name: z.string(), arguments: z.unknown() }) });
  const app = new Hono();
  app.post("/mcp", async (context) => {
    const { params } = asked.parse(await context.req.json());
    const tool = tools.get(params.name);
    if (!tool) return context.json({ error: "There is no such tool." }, 404);
    return context.json(output.parse(tool.run(tool.input.parse(params.arguments))));
  });
  serveHono({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
}

if (process.argv[2] === "bare") bare();
else await serveDoor();

async function serveDoor(): Promise<void> {
  const sides: Record<string, () => McpDoor | McpHttpHandler | Promise<McpDoor>> = { ours, logged, peer };
  const handler = await (sides[process.argv[2] ?? ""] ?? peer)();
  const server = await listen((request) => handler.fetch(request), { host: "127.0.0.1", port: 0, onError: console.error });
  console.log(server.url);
}
