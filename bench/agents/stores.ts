import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@toolwright/postgres";
import { startTestServer } from "@toolwright/postgres/testing";
import { CompiledQuery } from "kysely";
import { median, type Row } from "../measure.ts";
import { type Commits, countCommits } from "./count-commits.ts";
import { heapMb } from "./heap.ts";
import { runWhole, steps, toolSteps } from "./loop.ts";
import { openPlace } from "./open-place.ts";
import { steppingModel } from "./stepping-model.ts";

const rounds = 30;
const warmRounds = 5;
const mostEmbeddedMs = 8;
const mostCommits = 3;
const mostInserts = 4;
const chats = 50;
const requestMs = 200;
const mostSpread = 2;
const waiting = 1_000;
const atOnce = 20;
const mostWaitingMb = 5;

/** On both databases, beside one committed insert of the same run. */
export async function measureStores(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  const server = await startTestServer();
  const open = (url?: string) =>
    openStore({ url, folder, process: `prc_bench_${url === undefined ? "own" : "server"}`, holder: "a benchmark" });
  try {
    const embedded = await open();
    const onEmbedded = await compareInsert(embedded);
    await embedded.close();
    const commits = countCommits();
    const store = await open(server.url);
    const onServer = await compareInsert(store);
    const rows = [
      {
        ...{ ...onEmbedded, name: "a step, embedded", target: `at most ${mostEmbeddedMs} ms` },
        holds: onEmbedded.ours <= mostEmbeddedMs,
      },
      { ...onServer, name: "a step, server", target: `at most ${mostInserts} inserts`, holds: onServer.ratio <= mostInserts },
      await countStep(store, commits),
      await compareChats(store),
      await holdWaiting(store),
    ];
    await store.close();
    return rows;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A turn, and then as many committed inserts as it has steps, in turns. */
async function compareInsert(store: Store): Promise<Omit<Row, "name" | "target" | "holds">> {
  const place = openPlace(store, { model: steppingModel({ toolSteps }) });
  const run = (text: string, given: readonly unknown[] = []) => store.database.owner.executeQuery(CompiledQuery.raw(text, [...given]));
  await run("create table raw_inserts (number int primary key, said text)");
  const times = { ours: [] as number[], inserts: [] as number[] };
  for (let round = -warmRounds; round < rounds; round += 1) {
    const startedAt = performance.now();
    await runWhole(place);
    const betweenAt = performance.now();
    for (let insert = 0; insert < steps; insert += 1)
      await run("insert into raw_inserts values ($1, $2)", [(round + warmRounds) * steps + insert, "A line of text. ".repeat(12)]);
    if (round < 0) continue;
    times.ours.push((betweenAt - startedAt) / steps);
    times.inserts.push((performance.now() - betweenAt) / steps);
  }
  await place.engine.close();
  const ratio = median(times.ours.map((time, round) => time / (times.inserts[round] ?? Number.NaN)));
  return { ours: median(times.ours), peer: median(times.inserts), peerName: "an insert", ratio, unit: "ms p50" };
}

/** What one step more commits: the turn itself begins and ends once. */
async function countStep(store: Store, commits: () => Commits): Promise<Row> {
  const more = 10;
  const countOf = async (ofTools: number): Promise<Commits> => {
    const place = openPlace(store, { model: steppingModel({ toolSteps: ofTools }) });
    await place.run();
    commits();
    await place.run();
    await place.engine.close();
    return commits();
  };
  const [few, many] = [await countOf(toolSteps - more), await countOf(toolSteps)];
  const named = [...many].map(([name, count]) => [name, (count - (few.get(name) ?? 0)) / more] as const).filter(([, count]) => count > 0);
  const ours = named.reduce((sum, [, count]) => sum + count, 0);
  console.error(`Commits of a step, by what they write first: ${named.map(([name, count]) => `${name} ${count}`).join(", ")}.`);
  return {
    ...{ name: "commits of a step, server", unit: "commits", peerName: "the limit", target: `at most ${mostCommits}` },
    ...{ ours, peer: mostCommits, ratio: ours / mostCommits, holds: ours <= mostCommits },
  };
}

/** How long turns take that run at once, of a model that takes its time. */
async function compareChats(store: Store): Promise<Row> {
  const place = openPlace(store, { model: steppingModel({ toolSteps: 4, requestMs }) });
  await place.run();
  const times = await Promise.all(
    Array.from({ length: chats }, async () => {
      const startedAt = performance.now();
      await place.run();
      return performance.now() - startedAt;
    }),
  );
  await place.engine.close();
  const sorted = times.toSorted((one, other) => one - other);
  const [p50, p95] = [sorted[Math.floor(chats / 2)] ?? Number.NaN, sorted[Math.floor(chats * 0.95)] ?? Number.NaN];
  return {
    ...{
      name: `${chats} chats at once, ${requestMs} ms a request, p95`,
      unit: "ms",
      peerName: "p50",
      target: `at most ${mostSpread} times`,
    },
    ...{ ours: p95, peer: p50, ratio: p95 / p50, holds: p95 / p50 <= mostSpread },
  };
}

/** What turns that wait for a person hold in the process. */
async function holdWaiting(store: Store): Promise<Row> {
  const place = openPlace(store, { model: steppingModel({ toolSteps: 1, tool: "pay" }) });
  const wait = async (count: number) => {
    let left = count;
    const waitOne = async () => {
      while (left > 0) {
        left -= 1;
        const { status } = await place.run();
        if (status !== "pending") throw new Error(`The call of the agent is ${status}.`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, waitOne));
  };
  await wait(100);
  const before = heapMb();
  await wait(waiting);
  const ours = heapMb() - before;
  await place.engine.close();
  return {
    ...{ name: `${waiting} turns that wait, heap`, unit: "MB", peerName: "the limit", target: `at most ${mostWaitingMb} MB` },
    ...{ ours, peer: mostWaitingMb, ratio: ours / mostWaitingMb, holds: ours <= mostWaitingMb },
  };
}
