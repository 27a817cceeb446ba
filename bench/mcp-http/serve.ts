import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMcpHandler, type McpHttpHandler, McpServer } from "@modelcontextprotocol/server";
import { createMcpDoor, type McpDoor, openAccess } from "@toolwright/doors/mcp";
import { createEngine, defineTool, type EngineOptions } from "@toolwright/engine";
import { openStore } from "@toolwright/postgres";
import { listen } from "@toolwright/server/http";
import { z } from "zod";

/** node serve.ts <ours | logged | peer> [tools]: the same tools behind the same listener, at /mcp. Prints its origin. */
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

const sides: Record<string, () => McpDoor | McpHttpHandler | Promise<McpDoor>> = { ours, logged, peer };
const handler = await (sides[process.argv[2] ?? ""] ?? peer)();
const server = await listen((request) => handler.fetch(request), { host: "127.0.0.1", port: 0, onError: console.error });
console.log(server.url);
