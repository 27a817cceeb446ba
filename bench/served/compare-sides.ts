import { median, type Row } from "../measure.ts";
import { callsPerSecond, type Round, type Served, type Side, serve } from "./side.ts";

const rounds = 15;
const warmUp = { calls: 10_000, inFlight: 32 };

export interface Load extends Required<Omit<Round, "session" | "client">>, Pick<Round, "client"> {
  /** Calls a second beside those of the peer. */
  readonly leastRatio: number;
}

export interface Compared {
  readonly ours: Side;
  readonly peer: Side;
  readonly peerName: string;
  readonly tools: number;
  /** What a row says of our side. */
  readonly words?: string;
  readonly loads: readonly Load[];
}

/** Calls tools over HTTP at a door and at a peer, in turns. Each pair of rounds gives a ratio; their median counts. */
export async function compareSides({ ours: side, peer: other, peerName, tools, words = "", loads }: Compared): Promise<readonly Row[]> {
  const [ours, peer] = await Promise.all([serve(side, tools), serve(other, tools)]);
  try {
    const over = loads[0]?.over ?? "mcp";
    for (const each of [ours, peer, ours, peer])
      for (const client of new Set(loads.map((load) => load.client)))
        await callsPerSecond(each, { ...warmUp, over, ...(client && { client }) });
    const rows: Row[] = [];
    for (const load of loads) rows.push(await rowOf(load, { ours, peer, peerName, words }));
    return rows;
  } finally {
    await Promise.all([ours.stop(), peer.stop()]);
  }
}

interface Sides {
  readonly ours: Served;
  readonly peer: Served;
  readonly peerName: string;
  readonly words: string;
}

async function rowOf({ leastRatio, ...round }: Load, { ours, peer, peerName, words }: Sides): Promise<Row> {
  const pairs: { ours: number; peer: number }[] = [];
  for (let each = 0; each < rounds; each++)
    pairs.push({ ours: await callsPerSecond(ours, round), peer: await callsPerSecond(peer, round) });
  const ratio = median(pairs.map((pair) => pair.ours / pair.peer));
  const protocol = round.over === "mcp" ? "MCP" : "REST";
  return {
    name: `${protocol}, ${ours.tools === 1 ? "1 tool" : `${ours.tools} tools`}, ${round.inFlight} in flight${round.client === "fetch" ? " by fetch" : ""}${words}`,
    ours: median(pairs.map((pair) => pair.ours)),
    peer: median(pairs.map((pair) => pair.peer)),
    peerName,
    ratio,
    unit: "calls/s",
    target: leastRatio === 0 ? "for comparison" : `at least ${leastRatio} times`,
    holds: ratio >= leastRatio,
  };
}
