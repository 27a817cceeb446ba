import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallEvent, createEngine, defaultPolicy, defineTool, type Principal } from "@toolwright/engine";
import { chainDigest, createRandomIds } from "@toolwright/engine/ports";
import { openStore, type Store } from "@toolwright/postgres";
import { startTestServer } from "@toolwright/postgres/testing";
import { CompiledQuery } from "kysely";
import { z } from "zod";
import { median, type Row } from "./measure.ts";

const inFlight = 32;
const rounds = 7;
const callsOfARound = 2_000;
const ids = createRandomIds();

/** What one call leaves in the log: its start and its end. */
function eventsOfCall(number: number): readonly [CallEvent, CallEvent] {
  const facts = {
    at: Date.now(),
    session: `session-${number % inFlight}`,
    tenant: "default",
    actor: { kind: "agent", id: "bench" },
    agent: "bench",
    door: "ai-sdk",
    source: "agent",
    callId: ids.next("call"),
    tool: "file_read",
  } as const;
  const input = { path: "README.md", startLine: 1, endLine: 40 };
  const decision = { effect: "allow", layer: "tool", rule: "tools.default", reason: "The tool only reads.", revision: "r1" };
  return [
    { ...facts, type: "tool.started", data: { ...decision, input } },
    {
      ...facts,
      type: "tool.completed",
      data: { durationMs: 3, output: { text: "A line of text. ".repeat(12), lines: 40 }, truncations: 0 },
    },
  ];
}

/** Calls a second through the log: each call's two events are appended as they come, and 32 calls wait for theirs. */
async function logCalls(store: Store): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const work = async () => {
    while (next < callsOfARound) {
      const [started, completed] = eventsOfCall(next);
      next += 1;
      await Promise.all([store.events.append([started]), store.events.append([completed])]);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return (callsOfARound / (performance.now() - startedAt)) * 1000;
}

const insertRaw = `insert into raw_events select * from unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[], $5::text[], $6::text[],
  $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[]::json[], $14::text[], $15::text[], $16::text[])`;

/** The same rows, straight into a table of the same shape and indexes: no numbers, no chain, no usage. */
async function insertEvents(store: Store, events: readonly CallEvent[], first: number): Promise<void> {
  const column = (read: (event: CallEvent, index: number) => unknown) => events.map(read);
  const parameters = [
    column(({ tenant }) => tenant),
    column(({ session }) => session),
    column((_, index) => first + index),
    column(({ at }) => new Date(at).toISOString()),
    column(({ type }) => type),
    column(({ callId }) => callId),
    column(({ tool }) => tool),
    column(({ actor }) => actor.kind),
    column(({ actor }) => actor.id),
    column(({ agent }) => agent ?? null),
    column(({ door }) => door),
    column(({ source }) => source ?? null),
    column(({ data }) => JSON.stringify(data)),
    column(() => someHash),
    column(() => someHash),
    column(() => "bench"),
  ];
  await store.database.owner.executeQuery(CompiledQuery.raw(insertRaw, parameters));
}

/** In batches of 32 calls. */
async function insertCalls(store: Store, round: number): Promise<number> {
  const startedAt = performance.now();
  for (let first = 0; first < callsOfARound; first += inFlight) {
    const events = Array.from({ length: inFlight }, (_, index) => eventsOfCall(first + index)).flat();
    await insertEvents(store, events, (round * callsOfARound + first) * 2);
  }
  return (callsOfARound / (performance.now() - startedAt)) * 1000;
}

const someHash = chainDigest(eventsOfCall(0)[0]);

async function compareCalls(store: Store, name: string): Promise<Row> {
  await store.database.owner.executeQuery(CompiledQuery.raw("create table raw_events (like toolwright.events including all)"));
  const ours: number[] = [];
  const raw: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const rates = [await logCalls(store), await insertCalls(store, round + 1)] as const;
    // The first round warms both up.
    if (round < 0) continue;
    ours.push(rates[0]);
    raw.push(rates[1]);
  }
  const ratio = median(ours.map((rate, round) => rate / (raw[round] ?? Number.NaN)));
  const target = "at least half of the raw rate";
  return { name, ours: median(ours), peer: median(raw), peerName: "raw batches", ratio, unit: "calls/s", target, holds: ratio >= 0.5 };
}

const principal: Principal = { tenant: "default", actor: { kind: "user", id: "bench" }, permissions: [], door: "mcp", source: "mcp" };
const freely = [{ tier: "platform" as const, document: { ...defaultPolicy, autonomy: "full" as const } }];

/** The same tool twice: `change` says that it changes something, so that its beginning and its ending are waited for; `read` says nothing. */
function openCalls(store: Store) {
  const input = z.object({ a: z.number(), b: z.number() });
  const output = z.object({ sum: z.number() });
  const read = defineTool({ name: "read", description: "Adds two numbers.", input, output, run: ({ a, b }) => ({ sum: a + b }) });
  const change = defineTool({ ...read, name: "change", effects: { destructive: true } });
  const scope = createEngine({ tools: [read, change], policy: freely, events: store.events }).scope(principal, { session: "awaited" });
  return async (tool: "read" | "change", b: number) => {
    const { status } = await scope.invoke(tool, { a: 1, b });
    if (status !== "done") throw new Error(`The benchmark's own call ended as ${status}.`);
  };
}

/** Milliseconds of a call whose two events are waited for, beside two raw inserts that are waited for; in turns, one after the other. */
async function compareAwaited(store: Store): Promise<Row> {
  const callTool = openCalls(store);
  const calls: number[] = [];
  const inserts: number[] = [];
  const firstNumber = 100_000_000;
  for (let call = -50; call < 400; call += 1) {
    const events = eventsOfCall(call + 50);
    const startedAt = performance.now();
    await callTool("change", call);
    const betweenAt = performance.now();
    for (const [index, event] of events.entries()) await insertEvents(store, [event], firstNumber + (call + 50) * 2 + index);
    if (call < 0) continue;
    calls.push(betweenAt - startedAt);
    inserts.push(performance.now() - betweenAt);
  }
  const [ours, peer] = [median(calls), median(inserts)];
  const target = "less than 2 ms more";
  const name = "awaited call, server";
  return { name, ours, peer, peerName: "two inserts", ratio: ours / peer, unit: "ms p50", target, holds: ours - peer < 2 };
}

/** Calls a second of one tool by `callers` at once; of reads, until all of them are in the log. */
async function callsPerSecond(store: Store, callTool: ReturnType<typeof openCalls>, { tool, callers }: Sharing): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const work = async () => {
    while (next < awaitedCalls) await callTool(tool, next++);
  };
  await Promise.all(Array.from({ length: callers }, work));
  const [last] = eventsOfCall(0);
  await store.events.append([last]);
  return (awaitedCalls / (performance.now() - startedAt)) * 1000;
}

interface Sharing {
  readonly tool: "read" | "change";
  readonly callers: number;
}

const awaitedCalls = 640;

/** What waiting for endings costs: 32 calls at once that change something share commits, beside one after the other, and beside calls that only read. */
async function compareShared(store: Store, name: string): Promise<readonly Row[]> {
  const callTool = openCalls(store);
  const rates = { shared: [] as number[], alone: [] as number[], reads: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    const shared = await callsPerSecond(store, callTool, { tool: "change", callers: inFlight });
    const alone = await callsPerSecond(store, callTool, { tool: "change", callers: 1 });
    const reads = await callsPerSecond(store, callTool, { tool: "read", callers: inFlight });
    if (round < 0) continue;
    rates.shared.push(shared);
    rates.alone.push(alone);
    rates.reads.push(reads);
  }
  const beside = (peers: readonly number[]) => median(rates.shared.map((rate, round) => rate / (peers[round] ?? Number.NaN)));
  const row = { ours: median(rates.shared), unit: "calls/s" };
  const [toAlone, toReads] = [beside(rates.alone), beside(rates.reads)];
  return [
    {
      ...row,
      name: `awaited endings, 32 at once, ${name}`,
      peer: median(rates.alone),
      peerName: "one at a time",
      ratio: toAlone,
      target: "at least 3 times: commits are shared",
      holds: toAlone >= 3,
    },
    {
      ...row,
      name: `awaited endings, 32 at once, ${name}`,
      peer: median(rates.reads),
      peerName: "not awaited",
      ratio: toReads,
      target: "at least a third",
      holds: toReads >= 1 / 3,
    },
  ];
}

/** The log on both databases, beside raw inserts of the same rows in the same process and at the same time. */
export async function measure(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  const server = await startTestServer();
  const open = (url?: string) => openStore({ url, folder, process: ids.next("prc"), holder: "a benchmark" });
  try {
    const embedded = await open();
    const onEmbedded = [await compareCalls(embedded, "durable calls, embedded"), ...(await compareShared(embedded, "embedded"))];
    await embedded.close();
    const store = await open(server.url);
    const onServer = [
      await compareCalls(store, "durable calls, server"),
      await compareAwaited(store),
      ...(await compareShared(store, "server")),
    ];
    const rows = [...onEmbedded, ...onServer];
    await store.close();
    return rows;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
