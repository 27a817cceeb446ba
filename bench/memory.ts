import type { Row } from "./measure.ts";
import { callsPerSecond, residentMb, serve } from "./served/side.ts";

/** Resident memory of a server after many calls: `TOOLWRIGHT_BENCH_CALLS` says how many. Pages of the database's cache are in by then. */
const calls = Number(process.env.TOOLWRIGHT_BENCH_CALLS ?? 100_000);
/** The heap of V8 and the pages of the database have their size by then, on both sides. */
const warmUpCalls = 200_000;
const inFlight = 32;
const mostMb = 5;

export async function measure(): Promise<readonly Row[]> {
  const ours = await serve("mcpEmbedded", 1);
  const peer = await serve("mcpServer", 1);
  try {
    const grown = { ours: await growthOf(ours), peer: await growthOf(peer) };
    const name = `memory after ${calls} calls more`;
    return [
      {
        ...{ name, unit: "MB", target: `at most ${mostMb} MB more`, peerName: "McpServer" },
        ...{ ours: grown.ours, peer: grown.peer, ratio: grown.ours / grown.peer, holds: grown.ours <= mostMb },
      },
    ];
  } finally {
    await Promise.all([ours.stop(), peer.stop()]);
  }
}

/** Between the least of several looks before and after: what waits for the collector is no growth. */
async function growthOf(served: Awaited<ReturnType<typeof serve>>): Promise<number> {
  await callsPerSecond(served, { calls: warmUpCalls, inFlight });
  const before = await least(served);
  await callsPerSecond(served, { calls, inFlight });
  return (await least(served)) - before;
}

async function least(served: Awaited<ReturnType<typeof serve>>): Promise<number> {
  const looks: number[] = [];
  for (let look = 0; look < 10; look += 1) {
    await callsPerSecond(served, { calls: 500, inFlight });
    looks.push(residentMb(served));
  }
  return Math.min(...looks);
}
