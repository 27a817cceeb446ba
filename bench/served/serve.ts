import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve as serveHono } from "@hono/node-server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { type Authentication, createMcpDoor, openAccess } from "@toolwright/doors/mcp";
import { createRestDoor } from "@toolwright/doors/rest";
import { createEngine, defineTool, type EngineOptions, type Principal } from "@toolwright/engine";
import { openStore, type Store } from "@toolwright/postgres";
import { startTestServer } from "@toolwright/postgres/testing";
import { listen } from "@toolwright/server/http";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import type { Side } from "./side.ts";

interface Handler {
  fetch(request: Request): Response | Promise<Response>;
}

/** node serve.ts SIDE [tools]: the same tools behind the same listener, at /mcp or below /api. Prints its origin. */
const serverInfo = { name: "bench", version: "1.0.0" };
const description = "Adds two whole numbers. Use it for sums; for other arithmetic use another tool.";
const input = z.object({ a: z.int().describe("First number"), b: z.int().describe("Second number") });
const output = z.object({ sum: z.int() });
const names = Array.from({ length: Number(process.argv[3] ?? 101) }, (_, index) => `add_${index}`);

const principal: Principal = { tenant: "default", actor: { kind: "user", id: "bench" }, permissions: [], door: "mcp" };
const authentication = openAccess(principal);
const tools = names.map((name) => defineTool({ name, description, input, output, run: ({ a, b }) => ({ sum: a + b }) }));

function mcp(kept: EngineOptions = {}) {
  return createMcpDoor({ engine: createEngine({ tools, ...kept }), serverInfo, authentication });
}

function rest(kept: EngineOptions = {}) {
  return createRestDoor({ engine: createEngine({ tools, ...kept }), authentication });
}

/** Whoever the request says: one caller gets no more than some of the streams. */
const sayers: Authentication = {
  open: true,
  authenticate: (_, { headers }) => ({
    ...principal,
    actor: { kind: "user", id: headers.get("x-user") ?? "bench" },
    permissions: ["log:read"],
  }),
};

async function streams() {
  return createRestDoor({ engine: createEngine({ tools, ...(await embedded()) }), authentication: sayers });
}

/** The same number of streams that say as much: a word at the beginning, and a sign of life every 15 seconds. */
function bareStreams() {
  const app = new Hono().get("/api/events", (context) =>
    streamSSE(context, async (stream) => {
      await stream.write(": keepalive\n\n");
      while (!stream.aborted) await stream.sleep(15_000);
    }),
  );
  serveHono({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
}

/** With a log, approvals and all else in a store, as in the product. */
async function embedded(): Promise<EngineOptions> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  process.once("SIGTERM", () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  });
  return keptIn(await openStore({ folder, process: "bench", holder: "the benchmark" }));
}

async function onServer(): Promise<EngineOptions> {
  const { url, stop } = await startTestServer();
  process.once("SIGTERM", () => void stop().finally(() => process.exit()));
  return keptIn(await openStore({ url, process: "bench", holder: "the benchmark" }));
}

function keptIn({ approvals, grants, limiter, idempotency, artifacts, events, clock, log }: Store): EngineOptions {
  return { approvals, grants, limiter, idempotency, artifacts, events, clock, administration: { log } };
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

/** No protocol, no gate, no log: routes that check their input and their output, behind the listener that Hono comes with. */
function bare() {
  const byName = new Map(names.map((name) => [name, { input, run: ({ a, b }: z.output<typeof input>) => ({ sum: a + b }) }]));
  const call = (name: string, given: unknown) => {
    const tool = byName.get(name);
    return tool && output.parse(tool.run(tool.input.parse(given)));
  };
  const asked = z.object({ params: z.object({ name: z.string(), arguments: z.unknown() }) });
  const app = new Hono()
    .post("/mcp", async (context) => {
      const { params } = asked.parse(await context.req.json());
      const result = call(params.name, params.arguments);
      return result ? context.json(result) : context.json({ error: "There is no such tool." }, 404);
    })
    .post("/api/tools/:name/call", async (context) => {
      const result = call(context.req.param("name"), await context.req.json());
      return result ? context.json(result) : context.json({ error: "There is no such tool." }, 404);
    });
  serveHono({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
}

const sides: Readonly<Record<Exclude<Side, "bare" | "bareStreams">, () => Handler | Promise<Handler>>> = {
  mcp,
  mcpEmbedded: async () => mcp(await embedded()),
  mcpServer: peer,
  rest,
  restEmbedded: async () => rest(await embedded()),
  restPostgres: async () => rest(await onServer()),
  streams,
};

const side = process.argv[2] as Side;
if (side === "bare") bare();
else if (side === "bareStreams") bareStreams();
else {
  const handler = await sides[side]();
  const server = await listen((request) => handler.fetch(request), { host: "127.0.0.1", port: 0, onError: console.error });
  console.log(server.url);
}
