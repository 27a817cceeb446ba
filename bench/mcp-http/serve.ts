import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { createMcpDoor, openAccess } from "@toolwright/doors/mcp";
import { createEngine, defineTool } from "@toolwright/engine";
import { nodeListener } from "toolwright";
import { z } from "zod";

/** node serve.ts <ours | peer>: the same 101 tools behind the same listener. Prints its URL. */
const count = 101;
const serverInfo = { name: "bench", version: "1.0.0" };
const description = "Adds two whole numbers. Use it for sums; for other arithmetic use another tool.";
const input = z.object({ a: z.int().describe("First number"), b: z.int().describe("Second number") });
const output = z.object({ sum: z.int() });
const names = Array.from({ length: count }, (_, index) => `add_${index}`);

const handlers = {
  ours() {
    const tools = names.map((name) => defineTool({ name, description, input, output, run: ({ a, b }) => ({ sum: a + b }) }));
    const principal = { tenant: "bench", actor: { kind: "user", id: "bench" }, permissions: [], door: "mcp" } as const;
    const door = createMcpDoor({ engine: createEngine({ tools }), serverInfo, authentication: openAccess(principal) });
    return (request: Request) => door.fetch(request);
  },
  peer() {
    const handler = createMcpHandler(() => {
      const server = new McpServer(serverInfo);
      for (const name of names) {
        server.registerTool(name, { description, inputSchema: input, outputSchema: output }, ({ a, b }) => {
          const structuredContent = { sum: a + b };
          return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
        });
      }
      return server;
    });
    return (request: Request) => handler.fetch(request);
  },
};

const handle = handlers[process.argv[2] === "ours" ? "ours" : "peer"]();
process.on("SIGINT", () => process.exit());
const server = createServer(nodeListener(handle, (error) => console.error(error)));
server.listen(0, "127.0.0.1", () => console.log(`http://localhost:${(server.address() as AddressInfo).port}/mcp`));
