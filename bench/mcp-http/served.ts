import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";

/** A server of tools `add_0`, `add_1` and so on, in a process of its own. */
export interface Served {
  readonly tools: number;
  readonly pid: number;
  readonly pool: Pool;
  stop(): Promise<void>;
}

const mostInFlight = 128;

/** `ours`: the door alone; `logged`: with everything kept in the embedded store; `peer`: the SDK's own McpServer; `bare`: a route of Hono with Zod. */
export type Side = "ours" | "logged" | "peer" | "bare";

export async function serve(side: Side, tools: number): Promise<Served> {
  const script = fileURLToPath(new URL("./serve.ts", import.meta.url));
  const argv = ["--conditions=@toolwright/source", script, side, String(tools)];
  const child: ChildProcess = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
  if (!child.stdout || child.pid === undefined) throw new Error("The server could not be started.");
  for await (const origin of createInterface({ input: child.stdout })) {
    const pool = new Pool(origin, { connections: mostInFlight });
    const stop = async () => {
      const ended = once(child, "exit");
      await pool.close();
      child.kill();
      await ended;
    };
    return { tools, pid: child.pid, pool, stop };
  }
  throw new Error(`The server of "${side}" ended before it said where it is.`);
}

export interface Round {
  readonly calls: number;
  readonly inFlight: number;
}

export async function callsPerSecond(served: Served, { calls, inFlight }: Round): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const caller = async () => {
    while (next < calls) await call(served, next++);
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return calls / ((performance.now() - startedAt) / 1000);
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function call({ pool, tools }: Served, id: number): Promise<void> {
  const name = `add_${id % tools}`;
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": name,
  };
  const params = { name, arguments: { a: 2, b: 3 }, _meta: meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
  const response = await pool.request({ path: "/mcp", method: "POST", headers, body });
  const text = await response.body.text();
  if (!text.includes('"sum":5')) throw new Error(`A call was answered with ${text.slice(0, 300)}`);
}
