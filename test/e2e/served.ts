import { type Child, finish, type Place, waitForText } from "./run-cli.ts";

/** A `toolwright serve` of its own, on a free port. */
export interface Served {
  readonly child: Child;
  /** Its address for MCP clients. */
  readonly mcp: string;
  /** Where it listens: another origin than that address when a proxy serves it. */
  readonly listens: string;
}

/** `onSaid` hears all that the server writes to stderr. */
export async function startServer(
  place: Place,
  options: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  onSaid: (text: string) => void = () => {},
): Promise<Served> {
  const child = place.start(["serve", "--port", "0", ...options], { env });
  child.stderr.on("data", (chunk: Buffer) => onSaid(String(chunk)));
  const banner = await waitForText(child, /Stop it with Ctrl\+C/);
  const mcp = /MCP +(\S+)/.exec(banner)?.[1] ?? "";
  return { child, mcp, listens: /Listens +at (\S+),/.exec(banner)?.[1] ?? new URL(mcp).origin };
}

export async function killServer({ child }: Served): Promise<void> {
  const ended = finish(child);
  child.kill("SIGKILL");
  await ended;
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface McpCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Members of `_meta` beside those that each request has. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The request of a client that can only call. */
export function mcpRequest({ name, input, meta: more }: McpCall) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": meta["io.modelcontextprotocol/protocolVersion"],
    "mcp-method": "tools/call",
    "mcp-name": name,
  };
  const params = { name, arguments: input, _meta: { ...meta, ...more } };
  return { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }) };
}

/** What a client that can only call reads, as text. */
export async function callByMcp(
  { mcp, key }: Pick<Served, "mcp"> & { readonly key?: string | undefined },
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { headers, ...request } = mcpRequest({ name, input });
  return (await fetch(mcp, { ...request, headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) } })).text();
}
