import { measureFirstChunk } from "./agents/first-chunk.ts";
import { measureLoop } from "./agents/loop.ts";
import { measureMemory } from "./agents/memory.ts";
import { measureStores } from "./agents/stores.ts";
import type { Row } from "./measure.ts";

/** Turns of agents: what a step costs beside the same loop of others, in memory and in a store, and what many of them hold. */
export async function measure(): Promise<readonly Row[]> {
  return [...(await measureLoop()), ...(await measureStores()), ...(await measureFirstChunk()), ...(await measureMemory())];
}
