import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandomIds } from "@toolwright/engine/ports";
import { openStore, type Store } from "@toolwright/postgres";
import { analyze, explainQueries, startTestServer } from "@toolwright/postgres/testing";
import { dayQueries } from "./day/day-queries.ts";
import { dayStart, fillDay, rareTool } from "./day/fill-day.ts";
import { median, type Row } from "./measure.ts";

const events = Number(process.env.TOOLWRIGHT_BENCH_EVENTS ?? 1_000_000);
const mostMs = 200;
const rounds = 5;

/** A day of a million events on a server: what people look at stays under 200 ms each. */
export async function measure(): Promise<readonly Row[]> {
  const server = await startTestServer();
  const folder = mkdtempSync(join(tmpdir(), "toolwright-day-"));
  try {
    const store = await openStore({ url: server.url, folder, process: createRandomIds().next("prc"), holder: "a benchmark" });
    await fillDay(store, events);
    await analyze(store.database);
    if (events >= 1_000_000) await writePlans(store);
    const rows: Row[] = [];
    for (const [name, look] of Object.entries(dayQueries)) {
      const times: number[] = [];
      for (let round = -1; round < rounds; round += 1) {
        const startedAt = performance.now();
        await look(store);
        if (round >= 0) times.push(performance.now() - startedAt);
      }
      const ours = median(times);
      const unit = "ms p50";
      rows.push({
        name,
        ours,
        peer: mostMs,
        peerName: "the limit",
        ratio: ours / mostMs,
        unit,
        target: "at most 200 ms",
        holds: ours <= mostMs,
      });
    }
    await store.close();
    return rows;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The plans that docs show are those of this day. */
async function writePlans({ database }: Store): Promise<void> {
  const folder = new URL("../docs/reference/plans/", import.meta.url);
  const options = { tenant: "default", session: "session-1000", tool: rareTool, agent: "tester", since: dayStart + 43_200_000 };
  mkdirSync(folder, { recursive: true });
  for (const [name, plan] of Object.entries(await explainQueries(database, options))) writeFileSync(new URL(`${name}.txt`, folder), plan);
}
