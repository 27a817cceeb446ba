// One process in which agents answer messages: it begins chats, answers what they ask, or goes on with what others left, as FAULTS says. Each chat that
// has ended is confirmed on stdout. It is started and killed by run-faults.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "@toolwright/postgres";
import { answerChats, chatter, openChatEngine, workOnChats } from "./chat-engine.ts";
import { createRandom } from "./random.ts";

interface Orders {
  readonly name: string;
  readonly url?: string;
  readonly folder: string;
  readonly cache: string;
  readonly effects: string;
  readonly model: string;
  /** Times the usual time between two chats. */
  readonly pause: number;
  readonly seed: number;
  readonly isWorker: boolean;
  readonly makesLoad: boolean;
}

const mostOpen = 24;
const orders = JSON.parse(process.env.FAULTS ?? "") as Orders;
const random = createRandom(orders.seed);
const confirm = (fact: object) => process.stdout.write(`${JSON.stringify(fact)}\n`);
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());

const { url, folder, cache, effects, model, name, seed } = orders;
const store = await openStore({ url, folder, cache, process: `prc_${name}_${process.pid}_${seed}`, holder: name, connections: 5 });
const logger = {
  log: (level: string, message: string, facts?: unknown) =>
    void process.stderr.write(`${name} ${level} ${message} ${JSON.stringify(facts ?? {})}\n`),
};
const parts = { store, effects, model, logger };
const engine = openChatEngine(parts);
let count = 0;

/** Another one goes on with what waits. More than they do between two kills would only say how long the queue is. */
async function chat(): Promise<void> {
  const open = await store.turns.list(chatter.tenant, { states: ["running", "waiting"], limit: mostOpen });
  if (open.length === mostOpen) return;
  count += 1;
  const key = `chat_${name}_${seed}_${count}`;
  const { status } = await engine.scope(chatter, { session: "inbox" }).invokeNamed("agent_run", { agent: "assistant", message: key });
  if (status === "pending" || status === "done") confirm({ confirmed: "chat", key });
}

async function repeat(work: () => Promise<void>, pauseMs: number): Promise<void> {
  while (!stop.signal.aborted) {
    await work().catch((error: unknown) => logger.log("info", "refused", { error: String(error) }));
    await sleep(pauseMs * orders.pause * random(), undefined, { signal: stop.signal }).catch(() => undefined);
  }
}

const stopWork = orders.isWorker ? await workOnChats(engine, parts) : undefined;
confirm({ ready: name });
if (orders.makesLoad) await Promise.all([...[0, 1, 2, 3].map(() => repeat(chat, 200)), repeat(() => answerChats(engine), 200)]);
else await new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve()));
await stopWork?.();
await engine.close();
await store.close();
