import { PassThrough } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { CallError, CallResult, JsonObject } from "@toolwright/engine";
import { callMetaKey } from "../mcp/call/call-meta.ts";
import { createMcpDoor, openAccess, serveMcpStdio } from "../mcp/index.ts";
import {
  approvalOf,
  type DoorAdapter,
  type DoorAnswer,
  type DoorClient,
  type DoorWorld,
  decisionOf,
  errorOf,
  type OfferedTool,
} from "./door-adapter.ts";

const serverInfo = { name: "conformance", version: "1" };
const clientInfo = { name: "conformance", version: "1" };

interface Reply {
  readonly id?: number;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Sends one request and gives its reply, with all that was heard until then. */
interface Wire {
  request(method: string, params: JsonObject): Promise<Reply>;
  heard(): string;
  close(): Promise<void>;
}

/** The doors of MCP, spoken to without a client library: nothing on the wire is passed over. */
export const mcpDoors: readonly DoorAdapter[] = [
  {
    name: "mcp 2026-07-28, http",
    target: "mcp-2026-07-28",
    open: async (world) => {
      const door = createMcpDoor({ engine: world.engine, serverInfo, authentication: openAccess(world.principal) });
      return clientOn(modernHttp(door), world);
    },
  },
  {
    name: "mcp 2025-11-25, http",
    target: "mcp-2025-11-25",
    open: async (world) => {
      const door = createMcpDoor({ engine: world.engine, serverInfo, authentication: openAccess(world.principal) });
      return clientOn(await legacyHttp(door), world);
    },
  },
  {
    name: "mcp, stdio",
    target: "mcp-2025-11-25",
    open: async (world) => clientOn(await stdio(world), world),
  },
];

function clientOn(wire: Wire, { engine, principal, session }: DoorWorld): DoorClient {
  const scope = engine.scope(principal, { session });
  return {
    async list() {
      const { result } = await wire.request("tools/list", {});
      return (result?.tools ?? []) as unknown as readonly OfferedTool[];
    },
    async call(name, input) {
      const reply = await wire.request("tools/call", { name, arguments: input as JsonObject });
      return readReply(reply, notesMember(scope.find(name)?.outputSchema));
    },
    heard: wire.heard,
    close: wire.close,
  };
}

type Told = Pick<CallResult, "status" | "repairs" | "artifacts"> & {
  readonly error?: CallError;
  readonly decision?: DoorAnswer["decision"];
  readonly approval?: DoorAnswer["approval"];
  readonly truncations?: readonly { readonly path: string }[];
};

/** Where the notes of a call stand in its structured output. */
function notesMember(outputSchema: JsonObject | undefined): string {
  return Object.hasOwn((outputSchema?.properties ?? {}) as object, "notes") ? "toolwrightNotes" : "notes";
}

function readNotes(result: JsonObject | undefined): readonly string[] {
  const blocks = (result?.content ?? []) as readonly { readonly type: string; readonly text?: string }[];
  return blocks.flatMap(({ text = "" }) => (text.startsWith("Note: ") ? text.slice("Note: ".length).split("\nNote: ") : []));
}

function readReply({ result, error }: Reply, notes: string): DoorAnswer {
  // A tool that is unknown is an error of the protocol; its words are the gate's.
  if (error) return { status: "failed", repaired: [], notes: [], artifacts: [], error: { code: "tool_not_found", message: error.message } };
  const told = (result?._meta as Record<string, Told> | undefined)?.[callMetaKey];
  if (!told) throw new Error(`The answer says nothing of its call: ${JSON.stringify(result)}`);
  const { status, repairs = [], artifacts = [], truncations = [], decision, approval } = told;
  const { [notes]: _, ...output } = (result?.structuredContent ?? {}) as JsonObject;
  return {
    status,
    repaired: repairs.map(({ path }) => path),
    notes: readNotes(result),
    artifacts: artifacts.map(({ name, size }) => `${name}, ${size} bytes`),
    ...(status === "done" && { output, cut: truncations.map(({ path }) => path) }),
    ...(told.error && { error: errorOf(told.error) }),
    ...(decision && { decision: decisionOf(decision) }),
    ...(approval && { approval: approvalOf(approval) }),
  };
}

type Door = ReturnType<typeof createMcpDoor>;

const url = "http://localhost/mcp";
const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

function modernHttp(door: Door): Wire {
  const heard: string[] = [];
  let id = 0;
  return {
    async request(method, params) {
      id += 1;
      const version = "2026-07-28";
      const meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": clientInfo,
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const named = typeof params.name === "string" ? { "mcp-name": params.name } : {};
      const headers = { ...json, "mcp-protocol-version": version, "mcp-method": method, ...named, host: "localhost" };
      const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } });
      const text = await (await door.fetch(new Request(url, { method: "POST", headers, body }))).text();
      heard.push(text);
      return lastReply(text, id);
    },
    heard: () => heard.splice(0).join("\n"),
    close: () => door.close(),
  };
}

async function legacyHttp(door: Door): Promise<Wire> {
  const heard: string[] = [];
  const version = "2025-11-25";
  let id = 0;
  let opened: Record<string, string> = {};
  const send = async (message: JsonObject) => {
    const headers = { ...json, ...opened, host: "localhost" };
    const response = await door.fetch(new Request(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) }));
    const text = await response.text();
    heard.push(text);
    return { text, session: response.headers.get("mcp-session-id") };
  };
  const request = async (method: string, params: JsonObject) => {
    id += 1;
    return lastReply((await send({ id, method, params })).text, id);
  };
  id += 1;
  const { session } = await send({ id, method: "initialize", params: { protocolVersion: version, capabilities: {}, clientInfo } });
  opened = { "mcp-protocol-version": version, ...(session !== null && { "mcp-session-id": session }) };
  await send({ method: "notifications/initialized", params: {} });
  return { request, heard: () => heard.splice(0).join("\n"), close: () => door.close() };
}

/** The last reply in a body that is one message, or a stream of them. */
function lastReply(text: string, id: number): Reply {
  const messages = text.startsWith("{") ? [text] : text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [line.slice(6)] : []));
  const reply = messages.map((message) => JSON.parse(message) as Reply).find((message) => message.id === id);
  if (!reply) throw new Error(`Request ${id} has no reply in: ${text.slice(0, 500)}`);
  return reply;
}

async function stdio({ engine, principal, session }: DoorWorld): Promise<Wire> {
  const [toServer, fromServer] = [new PassThrough(), new PassThrough()];
  const transport = new StdioServerTransport(toServer, fromServer);
  const server = serveMcpStdio({ engine, serverInfo, principal, session, transport: transport as never });
  const waiting = new Map<number, (reply: Reply) => void>();
  const heard: string[] = [];
  let rest = "";
  fromServer.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      heard.push(line);
      const reply = JSON.parse(line) as Reply;
      if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
    }
  });
  let id = 0;
  const request = (method: string, params: JsonObject) => {
    id += 1;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    waiting.set(id, resolve);
    toServer.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return promise;
  };
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  toServer.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return { request, heard: () => heard.splice(0).join("\n"), close: () => server.close() };
}
