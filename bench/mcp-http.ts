import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { median, type Row } from "./measure.ts";

const inFlight = 32;
const toolCount = 101;
const callsPerRound = 600;
const rounds = 15;
const leastRatio = 1.5;

interface Side {
  readonly process: ChildProcess;
  readonly pool: Pool;
}

/** Calls one of 101 tools over HTTP, 2026-07-28, at the door and at the SDK's own McpServer, in turns. Each pair of rounds gives a ratio; their median counts. */
export async function measure(): Promise<readonly Row[]> {
  const [ours, peer] = await Promise.all([start("ours"), start("peer")]);
  try {
    for (const side of [ours, peer, ours, peer]) await rate(side);
    const pairs: { ours: number; peer: number }[] = [];
    for (let round = 0; round < rounds; round++) pairs.push({ ours: await rate(ours), peer: await rate(peer) });
    const ratio = median(pairs.map((pair) => pair.ours / pair.peer));
    return [
      {
        name: `MCP, ${toolCount} tools, ${inFlight} in flight`,
        ours: median(pairs.map((pair) => pair.ours)),
        peer: median(pairs.map((pair) => pair.peer)),
        peerName: "McpServer",
        ratio,
        unit: "calls/s",
        target: `at least ${leastRatio} times`,
        holds: ratio >= leastRatio,
      },
    ];
  } finally {
    for (const side of [ours, peer]) {
      await side.pool.close();
      side.process.kill();
    }
  }
}

async function start(side: "ours" | "peer"): Promise<Side> {
  const script = fileURLToPath(new URL("./mcp-http/serve.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@toolwright/source", script, side], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const origin of createInterface({ input: child.stdout })) {
    return { process: child, pool: new Pool(origin, { connections: inFlight }) };
  }
  throw new Error(`The server of "${side}" ended before it said where it is.`);
}

/** Calls per second of one round. */
async function rate({ pool }: Side): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const caller = async () => {
    while (next < callsPerRound) await call(pool, next++);
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return callsPerRound / ((performance.now() - startedAt) / 1000);
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function call(pool: Pool, id: number): Promise<void> {
  const name = `add_${id % toolCount}`;
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
