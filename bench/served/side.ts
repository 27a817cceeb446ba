import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";

/** A server of tools `add_0`, `add_1` and so on, in a process of its own. */
export interface Served {
  readonly tools: number;
  readonly pid: number;
  readonly origin: string;
  readonly pool: Pool;
  stop(): Promise<void>;
}

/** Calls in flight and streams. */
const mostOpen = 640;

/**
 * `mcp`, `rest`: the door alone; `…Embedded`, `…Postgres`: with everything kept in a store; `streams`: the log, to be followed; `mcpServer`: the SDK's own
 * McpServer; `bare`, `bareStreams`: routes of Hono.
 */
export type Side = "mcp" | "mcpEmbedded" | "mcpServer" | "rest" | "restEmbedded" | "restPostgres" | "streams" | "bare" | "bareStreams";

export async function serve(side: Side, tools: number): Promise<Served> {
  const script = fileURLToPath(new URL("./serve.ts", import.meta.url));
  const argv = ["--conditions=@toolwright/source", script, side, String(tools)];
  const child: ChildProcess = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
  if (!child.stdout || child.pid === undefined) throw new Error("The server could not be started.");
  for await (const origin of createInterface({ input: child.stdout })) {
    const pool = new Pool(origin, { connections: mostOpen });
    const stop = async () => {
      const ended = once(child, "exit");
      await pool.close();
      child.kill();
      await ended;
    };
    return { tools, pid: child.pid, origin, pool, stop };
  }
  throw new Error(`The server of "${side}" ended before it said where it is.`);
}

export interface Round {
  readonly calls: number;
  readonly inFlight: number;
  /** Default: MCP. */
  readonly over?: "mcp" | "rest";
  /**
   * `fetch`: what programs call with. `pool`: undici's own, which costs the client a fifth of that, so that the server is never waited with. Default: `pool`.
   */
  readonly client?: "fetch" | "pool";
  /** Default: the door's own. */
  readonly session?: string;
}

export async function callsPerSecond(served: Served, { calls, inFlight, over = "mcp", client = "pool", session }: Round): Promise<number> {
  const ask = over === "mcp" ? overMcp : overRest;
  const post = client === "fetch" ? byFetch : byPool;
  const startedAt = performance.now();
  let next = 0;
  const caller = async () => {
    while (next < calls) {
      const id = next++;
      const { path, headers, body } = ask(`add_${id % served.tools}`, id);
      const json = { ...headers, "content-type": "application/json", ...(session && { "toolwright-session": session }) };
      const text = await post(served, { path, headers: json, body: JSON.stringify(body) });
      if (!text.includes('"sum":5')) throw new Error(`A call was answered with ${text.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return calls / ((performance.now() - startedAt) / 1000);
}

interface Asked {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function overMcp(name: string, id: number): Asked {
  const params = { name, arguments: { a: 2, b: 3 }, _meta: meta };
  return {
    path: "/mcp",
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: { jsonrpc: "2.0", id, method: "tools/call", params },
  };
}

function overRest(name: string): Asked {
  return { path: `/api/tools/${name}/call`, headers: { accept: "application/json" }, body: { a: 2, b: 3 } };
}

/** Megabytes that its process has in memory. */
export function residentMb({ pid }: Served): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

interface Post {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function byPool({ pool }: Served, post: Post): Promise<string> {
  const { body } = await pool.request({ method: "POST", ...post });
  return body.text();
}

async function byFetch({ origin }: Served, { path, ...post }: Post): Promise<string> {
  const response = await fetch(`${origin}${path}`, { method: "POST", ...post });
  return response.text();
}
