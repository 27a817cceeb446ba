import type { Row } from "./measure.ts";
import { compareSides, type Load } from "./served/compare-sides.ts";

const load = (inFlight: number, leastRatio: number, calls = 600): Load => ({ over: "mcp", inFlight, leastRatio, calls });
const many = { ours: "mcp", tools: 101 } as const;
/** One caller, several, many: with the log written to the embedded store, as the product does. */
const logged = [load(1, 0.5, 300), load(8, 0.8), load(32, 1.2), load(128, 1, 1200)];

/** 2026-07-28 beside the SDK's own server, and beside what is left when there is no protocol, no gate and no log. */
export async function measure(): Promise<readonly Row[]> {
  return [
    ...(await compareSides({ ...many, peer: "mcpServer", peerName: "McpServer", loads: [load(32, 2)] })),
    ...(await compareSides({
      ...many,
      peer: "bare",
      peerName: "Hono with Zod",
      loads: [{ ...load(32, 0.4, 1500), client: "fetch" }, load(32, 0, 1500)],
    })),
    ...(await compareSides({
      ours: "mcpEmbedded",
      peer: "mcpServer",
      peerName: "McpServer",
      tools: 1,
      words: ", log written",
      loads: logged,
    })),
  ];
}
