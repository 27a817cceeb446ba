import { describeSync, type SyncReport } from "@toolwright/engine/catalogue";
import type { FollowedCatalogue } from "@toolwright/postgres";
import type { Toolwright } from "../compose.ts";
import type { ServerIo } from "../io.ts";

/** Milliseconds of work after which requests get their turn. */
const longestTurnMs = 5;

/** The digests of the tools compile their schemas, which takes longer than most requests may wait. */
async function workOut(engine: Toolwright["engine"]): Promise<void> {
  let turnedAt = performance.now();
  for (const tool of engine.snapshot().tools) {
    void tool.hash;
    if (performance.now() - turnedAt < longestTurnMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    turnedAt = performance.now();
  }
}

/**
 * Keeps the store at the tools that this server has while it runs, and tells its operator which agents lost what. Commands do not: one may
 * run where some tools are missing.
 */
export async function keepCatalogue(toolwright: Toolwright, io: Pick<ServerIo, "err">): Promise<FollowedCatalogue> {
  const tell = (report: SyncReport) => {
    for (const line of describeSync(report)) io.err(`${line}\n`);
  };
  // What the folder of tools gave is told when it is loaded.
  const tellLosses = ({ removed, held }: SyncReport) => tell({ added: [], changed: [], removed, held });
  await workOut(toolwright.engine);
  const isComplete = () => (toolwright.loaded?.problems.length ?? 0) === 0;
  const followed = await toolwright.store.catalogue.follow(toolwright.engine, { isComplete, onReport: tellLosses });
  tellLosses(followed.report);
  return followed;
}
