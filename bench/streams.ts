import type { Row } from "./measure.ts";
import { callsPerSecond, residentMb, type Served, serve } from "./served/side.ts";

const streams = 500;
const callers = 4;
const session = "followed";
const mostMb = 40;

/** Resident memory of 500 open streams of events, beside as many of Hono that say as little. */
export async function measure(): Promise<readonly Row[]> {
  const [ours, peer] = [await serve("streams", 1), await serve("bareStreams", 1)];
  try {
    await callsPerSecond(ours, { calls: 5_000, inFlight: 32, over: "rest", session });
    const grown = { ours: await growthOf(ours), peer: await growthOf(peer) };
    const name = `${streams} open streams`;
    return [
      {
        ...{ name, unit: "MB", target: `at most ${mostMb} MB`, peerName: "Hono" },
        ...{ ours: grown.ours, peer: grown.peer, ratio: grown.ours / grown.peer, holds: grown.ours <= mostMb },
      },
    ];
  } finally {
    await Promise.all([ours.stop(), peer.stop()]);
  }
}

/** After ten streams, as the first loads what all of them need. */
async function growthOf(served: Served): Promise<number> {
  const first = await openStreams(served, 10);
  const before = residentMb(served);
  const rest = await openStreams(served, streams);
  const after = residentMb(served);
  for (const body of [...first, ...rest]) body.destroy();
  return after - before;
}

/** Each has said its first word. */
async function openStreams({ pool }: Served, count: number) {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const headers = { accept: "text/event-stream", "x-user": `user-${index % callers}` };
      const { body, statusCode } = await pool.request({ path: `/api/events?session=${session}&after=1000000`, method: "GET", headers });
      if (statusCode !== 200) throw new Error(`A stream was answered with ${statusCode}: ${await body.text()}`);
      body.on("error", () => {});
      await new Promise((resolve) => body.once("readable", resolve));
      return body;
    }),
  );
}
