import { callsPerSecond, type Served, type Side, serve } from "./mcp-http/served.ts";
import { median, type Row } from "./measure.ts";

const rounds = 15;

interface Load {
  readonly tools: number;
  readonly inFlight: number;
  /** Calls a second beside those of the peer. */
  readonly leastRatio: number;
  readonly calls: number;
}

/** One caller, several, many: with the log written to the embedded store, as the product does. */
const logged: readonly Load[] = [
  { tools: 1, inFlight: 1, leastRatio: 0.5, calls: 300 },
  { tools: 1, inFlight: 8, leastRatio: 0.8, calls: 600 },
  { tools: 1, inFlight: 32, leastRatio: 1.2, calls: 600 },
  { tools: 1, inFlight: 128, leastRatio: 1, calls: 1200 },
];
const unlogged: readonly Load[] = [{ tools: 101, inFlight: 32, leastRatio: 2, calls: 600 }];
/** What is left when there is no protocol, no gate and no log. */
const besideBare: readonly Load[] = [{ tools: 101, inFlight: 32, leastRatio: 0.4, calls: 600 }];

const peerNames: Partial<Record<Side, string>> = { peer: "McpServer", bare: "Hono with Zod" };

/** Calls tools over HTTP, 2026-07-28, at the door and at a peer, in turns. Each pair of rounds gives a ratio; their median counts. */
export async function measure(): Promise<readonly Row[]> {
  return [
    ...(await compare("ours", "peer", unlogged)),
    ...(await compare("ours", "bare", besideBare)),
    ...(await compare("logged", "peer", logged)),
  ];
}

async function compare(side: Side, other: Side, loads: readonly Load[]): Promise<readonly Row[]> {
  const tools = loads[0]?.tools ?? 1;
  const [ours, peer] = await Promise.all([serve(side, tools), serve(other, tools)]);
  try {
    for (const each of [ours, peer, ours, peer]) await callsPerSecond(each, { calls: 1000, inFlight: 32 });
    const rows: Row[] = [];
    for (const load of loads)
      rows.push(await rowOf(load, { ours, peer, peerName: peerNames[other] ?? other, words: side === "logged" ? ", log written" : "" }));
    return rows;
  } finally {
    await Promise.all([ours.stop(), peer.stop()]);
  }
}

async function rowOf(
  { tools, inFlight, leastRatio, calls }: Load,
  { ours, peer, peerName, words }: { readonly ours: Served; readonly peer: Served; readonly peerName: string; readonly words: string },
): Promise<Row> {
  const pairs: { ours: number; peer: number }[] = [];
  for (let round = 0; round < rounds; round++)
    pairs.push({ ours: await callsPerSecond(ours, { calls, inFlight }), peer: await callsPerSecond(peer, { calls, inFlight }) });
  const ratio = median(pairs.map((pair) => pair.ours / pair.peer));
  return {
    name: `MCP, ${tools === 1 ? "1 tool" : `${tools} tools`}, ${inFlight} in flight${words}`,
    ours: median(pairs.map((pair) => pair.ours)),
    peer: median(pairs.map((pair) => pair.peer)),
    peerName,
    ratio,
    unit: "calls/s",
    target: `at least ${leastRatio} times`,
    holds: ratio >= leastRatio,
  };
}
