import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createEngine, defineTool, type EngineOptions, type Principal } from "@toolwright/engine";
import { createMemorySealKeys } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { z } from "zod";
import { clientCapability, createMcpDoor, type McpDoor, type McpDoorOptions, openAccess } from "../src/mcp/index.ts";

export const url = "http://localhost:7777/mcp";
export const eras = [
  { era: "2026-07-28", mode: { pin: "2026-07-28" } },
  { era: "2025-11-25", mode: "legacy" },
] as const;
export type EraMode = (typeof eras)[number]["mode"];

export const ann: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "mcp" };
export const bob: Principal = { ...ann, actor: { kind: "user", id: "bob" } };

const empty = z.object({});
const text = z.object({ text: z.string() });

export const add = defineTool({
  name: "add",
  description: "Adds two whole numbers.",
  input: z.object({ a: z.int(), b: z.int() }),
  output: z.object({ sum: z.int() }),
  run: ({ a, b }) => ({ sum: a + b }),
});

/** Asks a person before each run, and counts its runs. */
export function countingTool() {
  const runs: string[] = [];
  const tool = defineTool({
    name: "pay",
    description: "Pays somebody.",
    input: z.object({ to: z.string() }),
    output: text,
    approval: "always_ask",
    effects: { destructive: true },
    run({ to }) {
      runs.push(to);
      return { text: `Paid ${to}.` };
    },
  });
  return { tool, runs };
}

export const greet = defineTool({
  name: "greet",
  description: "Asks for a name and greets.",
  input: empty,
  output: text,
  effects: { client: ["elicit"] },
  async run(_, { client }) {
    const schema = { type: "object" as const, properties: { name: { type: "string" as const } }, required: ["name"] };
    const { action, content } = await client.elicit({ key: "name", message: "Who are you?", schema });
    return { text: action === "accept" ? `Hello, ${content.name}.` : `The person chose ${action}.` };
  },
});

/** A door on its own engine, with a clock that stands still. */
export function openDoor(options: { engine?: EngineOptions; door?: Partial<McpDoorOptions> } = {}) {
  const clock = createManualClock(Date.now());
  const engine = createEngine({ tools: [add], capabilities: [clientCapability], clock, ...options.engine });
  const door = createMcpDoor({
    engine,
    clock,
    serverInfo: { name: "test", version: "1.0.0" },
    authentication: openAccess(ann),
    sealKeys: createMemorySealKeys(Buffer.from("k".repeat(32))),
    ...options.door,
  });
  return { engine, clock, door };
}

/** The official client over the door's fetch, without a socket. */
export async function connect(
  door: McpDoor,
  options: { mode: EraMode; client?: ClientOptions; token?: string; prepare?: (client: Client) => void },
): Promise<Client> {
  const client = new Client({ name: "test-client", version: "1.0.0" }, { ...options.client, versionNegotiation: { mode: options.mode } });
  options.prepare?.(client);
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: (target, init) => door.fetch(send(init, String(target))),
    ...(options.token !== undefined && { requestInit: { headers: { authorization: `Bearer ${options.token}` } } }),
  });
  await client.connect(transport);
  return client;
}

/** A request as a socket would deliver it: with a Host header. */
export function send(init: RequestInit = {}, target = url): Request {
  const headers = new Headers(init.headers);
  if (!headers.has("host")) headers.set("host", new URL(target).host);
  return new Request(target, { ...init, headers });
}

/** A 2026-07-28 request by hand. */
export function modernRequest(
  method: string,
  params: Record<string, unknown> = {},
  extra: { headers?: Record<string, string>; meta?: Record<string, unknown>; id?: number } = {},
): Request {
  const name = typeof params.name === "string" ? params.name : typeof params.uri === "string" ? params.uri : undefined;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "by-hand", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    ...extra.meta,
  };
  return send({
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name !== undefined && { "mcp-name": name }),
      ...extra.headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: extra.id ?? 1, method, params: { ...params, _meta } }),
  });
}

/** Text of all text blocks of a tool result. */
export function textOf(result: { content?: readonly { type: string; text?: string }[] }): string {
  return (result.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
