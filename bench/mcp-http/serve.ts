import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { createMcpDoor, openAccess } from "@toolwright/doors/mcp";
import { createEngine, defineTool } from "@toolwright/engine";
import { nodeListener } from "toolwright";
import { z } from "zod";

/** node serve.ts <ours | peer>: the same 101 tools behind the same listener, at /mcp. Prints its origin. */
const serverInfo = { name: "bench", version: "1.0.0" };
const description = "Adds two whole numbers. Use it for sums; for other arithmetic use another tool.";
const input = z.object({ a: z.int().describe("First number"), b: z.int().describe("Second number") });
const output = z.object({ sum: z.int() });
const names = Array.from({ length: 101 }, (_, index) => `add_${index}`);

function ours() {
  const tools = names.map((name) => defineTool({ name, description, input, output, run: ({ a, b }) => ({ sum: a + b }) }));
  const principal = { tenant: "bench", actor: { kind: "user", id: "bench" }, permissions: [], door: "mcp" } as const;
  return createMcpDoor({ engine: createEngine({ tools }), serverInfo, authentication: openAccess(principal) });
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

const handler = process.argv[2] === "ours" ? ours() : peer();
const server = createServer(
  nodeListener(
    (request) => handler.fetch(request),
    (error) => console.error(error),
  ),
);
server.listen(0, "127.0.0.1", () => console.log(`http://localhost:${(server.address() as AddressInfo).port}`));
