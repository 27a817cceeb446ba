import type { Row } from "./measure.ts";
import { compareSides } from "./served/compare-sides.ts";

const common = { peer: "bare", peerName: "Hono with Zod", tools: 101 } as const;
const load = { over: "rest", inFlight: 32, calls: 1500, leastRatio: 0 } as const;
const byFetch = { ...load, client: "fetch" } as const;

/**
 * Calls over REST beside routes without a gate; a store beside them shows what the log costs. The target is for programs that call with `fetch`. A client
 * that costs a fifth of that waits for the server alone, and shows what the gate, the checks of the request and the answer cost.
 */
export async function measure(): Promise<readonly Row[]> {
  return [
    ...(await compareSides({ ...common, ours: "rest", loads: [{ ...byFetch, leastRatio: 0.7 }, load] })),
    ...(await compareSides({ ...common, ours: "restEmbedded", words: ", embedded", loads: [byFetch, load] })),
    ...(await compareSides({ ...common, ours: "restPostgres", words: ", PostgreSQL", loads: [byFetch, load] })),
  ];
}
