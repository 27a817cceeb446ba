import type { Row } from "./measure.ts";
import { compareSides } from "./served/compare-sides.ts";

const common = { peer: "bare", peerName: "Hono with Zod", tools: 101 } as const;
const load = { over: "rest", inFlight: 32, calls: 1500 } as const;
const forComparison = [{ ...load, leastRatio: 0 }];

/** Calls over REST beside routes without a gate; a store beside them shows what the log costs. */
export async function measure(): Promise<readonly Row[]> {
  return [
    ...(await compareSides({ ...common, ours: "rest", loads: [{ ...load, leastRatio: 0.7 }] })),
    ...(await compareSides({ ...common, ours: "restEmbedded", words: ", embedded", loads: forComparison })),
    ...(await compareSides({ ...common, ours: "restPostgres", words: ", PostgreSQL", loads: forComparison })),
  ];
}
