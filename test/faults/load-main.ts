// One process under load: calls, approvals and jobs, each confirmed on stdout as a line of JSON as soon as it was confirmed here.
// It is started and killed by run-faults.ts, which says in FAULTS what to do.
import { setTimeout as sleep } from "node:timers/promises";
import { ANSWER_APPROVALS, createEngine, type Principal } from "@toolwright/engine";
import { openStore } from "@toolwright/postgres";
import { faultTools } from "./fault-tools.ts";
import { createRandom } from "./random.ts";

interface Orders {
  readonly name: string;
  readonly url?: string;
  readonly folder: string;
  readonly cache: string;
  readonly effects: string;
  /** Times the usual time between two calls. */
  readonly pause: number;
  readonly seed: number;
  readonly isWorker: boolean;
  readonly makesLoad: boolean;
  /** Also calls that make calls inside, and wait there. */
  readonly trees: boolean;
}

const mostWaiting = 300;
const orders = JSON.parse(process.env.FAULTS ?? "") as Orders;
const random = createRandom(orders.seed);
const confirm = (fact: object) => process.stdout.write(`${JSON.stringify(fact)}\n`);
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());

const store = await openStore({
  url: orders.url,
  folder: orders.folder,
  cache: orders.cache,
  process: `prc_${orders.name}_${process.pid}_${orders.seed}`,
  holder: orders.name,
  connections: 5,
});
const logger = {
  log: (level: string, message: string, facts?: unknown) =>
    void process.stderr.write(`${orders.name} ${level} ${message} ${JSON.stringify(facts ?? {})}\n`),
};
const { events, approvals, callTree, clock, grants, limiter, idempotency } = store;
const engine = createEngine({
  tools: faultTools(orders.effects),
  policy: [{ tier: "platform", document: { version: 1, autonomy: "full" } }],
  events,
  approvals,
  callTree,
  clock,
  grants,
  limiter,
  idempotency,
  logger,
});
const agent: Principal = { tenant: "default", actor: { kind: "agent", id: "load" }, permissions: [], door: "rest", source: "api" };
const person: Principal = {
  tenant: "default",
  actor: { kind: "user", id: "ann" },
  permissions: [ANSWER_APPROVALS],
  door: "cli",
  interactive: true,
};
const session = `s_${orders.name}`;
const scope = engine.scope(agent, { session });
/** A session belongs to one of them: the person answers from another. */
const desk = engine.scope(person, { session: `${session}-desk` });
let count = 0;
const newKey = (kind: string) => {
  count += 1;
  return `${kind}_${orders.name}_${orders.seed}_${count}`;
};

/** The same call twice at once: one runs, both are answered alike. */
async function callOnce(): Promise<void> {
  const key = newKey("call");
  const call = () => scope.invoke("mark", { key }, { idempotencyKey: key });
  const results = await Promise.all(random() < 0.3 ? [call(), call()] : [call()]);
  for (const { status, callId } of results) if (status === "done") confirm({ confirmed: "call", key, callId });
}

async function askAndPay(): Promise<void> {
  const key = newKey("pay");
  const asked = await scope.invoke("pay", { key });
  if (asked.status !== "pending") return;
  const { id } = asked.approval;
  confirm({ confirmed: "asked", key, id });
  await desk.answer(id, { kind: "approve" });
  confirm({ confirmed: "answered", key, id });
  const results = await Promise.all([scope.resume(id), scope.resume(id)]);
  for (const { status, callId } of results) if (status === "done") confirm({ confirmed: "paid", key, id, callId });
}

/** What waits inside is answered by a person, and goes on here or with a worker. */
async function askInside(): Promise<void> {
  const key = newKey("tree");
  const tool = random() < 0.7 ? "five_steps" : "two_at_once";
  const waiting = await scope.invoke(tool, { key });
  if (waiting.status !== "pending") return;
  const { callId } = waiting;
  confirm({ confirmed: "suspended", key, callId });
  const denies = random() < 0.2;
  const open = await desk.approvals();
  const mine = open.flatMap(({ record }) => (record.place?.root === callId ? [record.id] : []));
  for (const id of mine) await desk.answer(id, denies ? { kind: "deny" } : { kind: "approve" });
  confirm({ confirmed: "inside", key, callId, tool, denies });
  if (random() < 0.5) await scope.resume(waiting.approval.id);
}

/** More than the workers do between two kills would only say how long the queue is. */
async function hasRoom(): Promise<boolean> {
  const { waiting } = await store.database.asTenant(agent.tenant, (query) =>
    query
      .selectFrom("toolwright.jobs")
      .select((select) => select.fn.countAll<number>().as("waiting"))
      .where("state", "=", "queued")
      .executeTakeFirstOrThrow(),
  );
  return waiting < mostWaiting;
}

async function enqueue(): Promise<void> {
  if (!(await hasRoom())) return;
  const key = newKey("job");
  const { id } = await store.jobs.enqueue(agent, { tool: "mark", input: { key }, idempotencyKey: key });
  confirm({ confirmed: "job", key, id });
}

async function schedule(): Promise<void> {
  if (!(await hasRoom())) return;
  const key = newKey("schedule");
  await store.schedules.add(agent, { name: key, tool: "mark", input: { key }, when: { at: Date.now() + 300 } });
  confirm({ confirmed: "schedule", key });
}

async function repeat(work: () => Promise<void>, pauseMs: number): Promise<void> {
  while (!stop.signal.aborted) {
    await work().catch((error: unknown) => logger.log("info", "refused", { error: String(error) }));
    await sleep(pauseMs * orders.pause * random(), undefined, { signal: stop.signal }).catch(() => undefined);
  }
}

const worker = orders.isWorker ? await store.startWorker({ engine, logger }) : undefined;
confirm({ ready: orders.name });
const usual = () => [repeat(callOnce, 20), repeat(callOnce, 20), repeat(askAndPay, 40), repeat(enqueue, 80), repeat(schedule, 300)];
const inside = () => (orders.trees ? [repeat(askInside, 40), repeat(askInside, 40), repeat(askInside, 40)] : []);
if (orders.makesLoad) await Promise.all([...usual(), ...inside()]);
else await new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve()));
await worker?.stop(2_000);
await engine.close();
await store.close();
