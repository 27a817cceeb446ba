import { type ChildProcess, spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";

export interface Measured {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly ratio: number;
  readonly unit: string;
  readonly target: string;
  readonly holds: boolean;
}

const inFlight = 32;
const callsPerRound = 1500;
const rounds = 5;
const leastRatio = 1.5;

/** Calls a tool among 101 over HTTP, 2026-07-28, at the door and at the SDK's own McpServer, in turns; the median round counts. */
export async function measure(): Promise<Measured[]> {
  const [ours, peer] = await Promise.all([start("ours"), start("peer")]);
  try {
    await round(ours.url);
    await round(peer.url);
    const rates: { ours: number[]; peer: number[] } = { ours: [], peer: [] };
    for (let index = 0; index < rounds; index++) {
      rates.ours.push(await round(ours.url));
      rates.peer.push(await round(peer.url));
    }
    const [mine, theirs] = [median(rates.ours), median(rates.peer)];
    const ratio = mine / theirs;
    return [
      {
        name: `MCP over HTTP, 101 tools, ${inFlight} in flight, against McpServer`,
        ours: Math.round(mine),
        peer: Math.round(theirs),
        ratio: Math.round(ratio * 100) / 100,
        unit: "calls/s",
        target: `at least ${leastRatio} times`,
        holds: ratio >= leastRatio,
      },
    ];
  } finally {
    ours.process.kill();
    peer.process.kill();
  }
}

async function start(side: "ours" | "peer"): Promise<{ process: ChildProcess; url: string }> {
  const script = fileURLToPath(new URL("./mcp-http/serve.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@toolwright/source", script, side], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const url of createInterface({ input: child.stdout })) return { process: child, url };
  throw new Error(`The server of "${side}" ended before it said its URL.`);
}

/** Calls per second of one round. */
async function round(url: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const startedAt = performance.now();
  let left = callsPerRound;
  const caller = async () => {
    while (left-- > 0) await call(url, agent, left);
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  agent.destroy();
  return callsPerRound / ((performance.now() - startedAt) / 1000);
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function call(url: string, agent: Agent, id: number): Promise<void> {
  const name = `add_${Math.abs(id) % 101}`;
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: Math.abs(id),
    method: "tools/call",
    params: { name, arguments: { a: 2, b: 3 }, _meta: meta },
  });
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        if (text.includes('"sum":5')) resolve();
        else reject(new Error(`A call was answered with ${text.slice(0, 300)}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await measure());
