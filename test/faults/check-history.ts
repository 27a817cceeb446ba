import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createEngine, type Principal } from "@toolwright/engine";
import { silentLogger } from "@toolwright/engine/ports";
import { openStore, type Store } from "@toolwright/postgres";
import { sql } from "kysely";
import type { Told } from "./doors/door-client.ts";
import { endingProblem } from "./ending-problem.ts";
import { faultTools } from "./fault-tools.ts";

/** Something that a process was told had happened, before it could be killed. */
export type Fact =
  | { readonly confirmed: "call"; readonly key: string; readonly callId: string }
  | { readonly confirmed: "asked" | "answered"; readonly key: string; readonly id: string }
  | { readonly confirmed: "paid"; readonly key: string; readonly id: string; readonly callId: string }
  | { readonly confirmed: "job"; readonly key: string; readonly id: string }
  | { readonly confirmed: "schedule"; readonly key: string }
  /** An agent answered, or waits for a person. */
  | { readonly confirmed: "chat"; readonly key: string }
  /** A call waits inside; and everything in it was answered. */
  | { readonly confirmed: "suspended"; readonly key: string; readonly callId: string }
  | { readonly confirmed: "inside"; readonly key: string; readonly callId: string; readonly tool: string; readonly denies: boolean }
  /** A client was told how a call ended. */
  | ({ readonly confirmed: "ended"; readonly key: string; readonly tool: string; readonly door: string } & Told);

export interface History {
  readonly url?: string;
  readonly folder: string;
  readonly cache: string;
  readonly effects: string;
  readonly facts: readonly Fact[];
}

export interface Verdict {
  readonly ok: boolean;
  readonly confirmed: Readonly<Record<string, number>>;
  readonly effects: number;
  /** Confirmed, and not to be found. */
  readonly lost: readonly string[];
  /** Done more than once. */
  readonly twice: readonly string[];
  /** Links of the log that do not hold. */
  readonly broken: readonly string[];
  /** Neither ended nor waiting for its time a minute after everything was up again. */
  readonly stuck: readonly string[];
  readonly settledInMs: number;
}

/** Milliseconds for everything to come to its end. */
export const settleMs = 60_000;

/** Opens the store once more, lets it settle, and compares what is there with what was confirmed. */
export async function checkHistory(history: History): Promise<Verdict> {
  const { url, folder, cache, effects, facts } = history;
  const store = await openStore({ ...(url && { url }), folder, cache, process: "prc_checker", holder: "checker" });
  try {
    const { events, approvals, callTree, clock, grants, limiter, idempotency } = store;
    const policy = [{ tier: "platform", document: { version: 1, autonomy: "full" } }] as const;
    const engine = createEngine({ tools: faultTools(effects), policy, events, approvals, callTree, clock, grants, limiter, idempotency });
    const worker = await store.startWorker({ engine, logger: silentLogger });
    const startedAt = Date.now();
    let stuck = await findStuck(store);
    while (stuck.length > 0 && Date.now() - startedAt < settleMs) {
      await sleep(250);
      stuck = await findStuck(store);
    }
    const settledInMs = Date.now() - startedAt;
    await worker.stop();
    const lines = readFileSync(effects, "utf8").split("\n").filter(Boolean);
    const done = new Set(lines);
    const twice = await doneTwice(store, lines);
    const lost = await findLost(store, facts, done);
    const broken = await breaksOfLog(store);
    const byKind = Map.groupBy(facts, (fact) => (fact.confirmed === "ended" ? fact.door : fact.confirmed));
    const confirmed = Object.fromEntries([...byKind].map(([kind, some]) => [kind, some.length]));
    const ok = [lost, twice, broken, stuck].every((some) => some.length === 0);
    return { ok, confirmed, effects: done.size, lost, twice, broken, stuck, settledInMs };
  } finally {
    await store.close();
  }
}

/** Lines of the file that are there more than once, and calls with more than one ending. */
export async function doneTwice({ database }: Store, lines: readonly string[]): Promise<readonly string[]> {
  const counts = Map.groupBy(lines, (line) => line);
  const ranTwice = [...counts].filter(([, runs]) => runs.length > 1).map(([line, runs]) => `${line} ran ${runs.length} times`);
  const { rows } = await database.asSystem((query) =>
    sql<{ what: string }>`
      select call_id || ' ended as ' || string_agg(type, ' and ' order by sequence) as what from toolwright.events
        where type in ('tool.completed', 'tool.failed', 'tool.cancelled') group by call_id having count(*) > 1`.execute(query),
  );
  return [...ranTwice, ...rows.map(({ what }) => what)];
}

export async function breaksOfLog({ log }: Store): Promise<readonly string[]> {
  const broken: string[] = [];
  for await (const { session, faults } of log.verify({})) broken.push(...faults.map(({ message }) => `${session}: ${message}`));
  return broken;
}

export async function findStuck({ database }: Store): Promise<readonly string[]> {
  return database.asSystem(async (query) => {
    const { rows } = await sql<{ what: string }>`
      select 'call ' || call_id as what from toolwright.calls_in_flight
      union all select 'key of ' || call_id from toolwright.idempotency_keys where result is null
      union all select 'job ' || job || ' is ' || state from toolwright.jobs where state in ('running', 'queued', 'blocked') and run_at < now()
      union all select 'suspended call ' || call_id from toolwright.suspended_calls where keep_until is null and due_at < now()
      union all select 'turn ' || turn || ' is ' || state from toolwright.turns where state in ('running', 'waiting')
      union all select 'schedule ' || name from toolwright.schedules where next_at < now()`.execute(query);
    return rows.map(({ what }) => what);
  });
}

const owner: Principal = { tenant: "default", actor: { kind: "agent", id: "load" }, permissions: [], door: "rest" };

async function findLost(store: Store, facts: readonly Fact[], done: ReadonlySet<string>): Promise<readonly string[]> {
  const ended = await readEndings(store);
  const lostSteps = await readLostSteps(store);
  const schedules = new Set((await store.schedules.list(owner)).map(({ name }) => name));
  const lost: string[] = [];
  for (const fact of facts) {
    const problem = await findProblem(fact, { store, ended, schedules, done, lostSteps });
    if (problem) lost.push(`${fact.confirmed} ${fact.key}: ${problem}`);
  }
  return lost;
}

interface Found {
  readonly store: Store;
  /** Types of the events of each call, in order; of a failure with its outcome. */
  readonly ended: ReadonlyMap<string, readonly string[]>;
  readonly schedules: ReadonlySet<string>;
  readonly lostSteps: ReadonlySet<string>;
  readonly done: ReadonlySet<string>;
}

async function findProblem(fact: Fact, { store, ended, schedules, done, lostSteps }: Found): Promise<string | undefined> {
  switch (fact.confirmed) {
    case "call":
    case "paid": {
      if (!done.has(fact.key)) return "was confirmed as done and had no effect";
      const types = ended.get(fact.callId);
      if (!types?.includes("tool.started")) return "its start is not in the log";
      return types.includes("tool.completed") ? undefined : "its end is not in the log";
    }
    case "asked":
      return (await store.approvals.get("default", fact.id)) ? undefined : "the approval is gone";
    case "answered":
      return (await store.approvals.get("default", fact.id))?.answer ? undefined : "the answer is gone";
    case "job": {
      const job = await store.jobs.get(owner, fact.id).catch(() => undefined);
      if (!job) return "the job is gone";
      return job.state === "done" && !done.has(fact.key) ? "the job is done and had no effect" : undefined;
    }
    // Of agents, which check-chats.ts looks at.
    case "chat":
      return undefined;
    case "suspended":
      return (await store.callTree.get({ tenant: "default", callId: fact.callId }, store.clock.now()))
        ? undefined
        : "the suspended call is gone";
    case "inside":
      return treeProblem(fact, { ended, done, lostSteps });
    case "ended":
      return endingProblem(fact, { events: ended.get(fact.callId) ?? [], hadEffect: done.has(fact.key) });
    default:
      return schedules.has(fact.key) ? undefined : "the schedule is gone";
  }
}

/** Steps of calls that were killed in the middle, as "call step": nobody says whether they had their effect. */
async function readLostSteps({ database }: Store): Promise<ReadonlySet<string>> {
  const { rows } = await database.asSystem((query) =>
    sql<{ step: string }>`select data -> 'place' ->> 'parent' || ' ' || (data -> 'place' ->> 'step') as step from toolwright.events
      where type = 'tool.failed' and data ->> 'outcome' = 'unknown' and data -> 'place' is not null`.execute(query),
  );
  return new Set(rows.map(({ step }) => step));
}

/** The steps of each tool that calls others, in the order of the lines that they write. */
const stepsOf: Readonly<Record<string, readonly string[]>> = {
  five_steps: ["mark", "mark-2", "pay", "mark-3", "mark-4"],
  two_at_once: ["pay", "mark", "pay-2"],
};

/** Of a call whose approvals were answered: it ended, and each line of it is there unless its part was denied or lost. */
function treeProblem(
  { callId, key, tool, denies }: Extract<Fact, { confirmed: "inside" }>,
  { ended, done, lostSteps }: Pick<Found, "ended" | "done" | "lostSteps">,
): string | undefined {
  const types = ended.get(callId) ?? [];
  if (!types.includes("tool.completed")) return `it was answered and did not end as it should: ${types.join(", ")}`;
  const steps = (stepsOf[tool] ?? []).map((step, index) => ({ step, line: index + 1 }));
  const known = steps.filter(({ step }) => !lostSteps.has(`${callId} ${step}`));
  const wrong = known.filter(({ step, line }) => done.has(`${key}/${line}`) === (denies && step.startsWith("pay")));
  return wrong.length === 0 ? undefined : `lines ${wrong.map(({ line }) => line).join(", ")} are not as they were answered`;
}

async function readEndings({ database }: Store): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await database.asSystem((query) =>
    sql<{ call_id: string; types: string[] }>`
      select call_id, array_agg(type || coalesce(' ' || (data ->> 'outcome'), '') order by session, sequence) as types
        from toolwright.events where type <> 'tool.output_appended' group by call_id`.execute(query),
  );
  return new Map(rows.map(({ call_id, types }) => [call_id, types]));
}
