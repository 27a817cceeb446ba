// Kills processes of a store under load at random moments and checks afterwards what is left: `npm run test:faults -- --help`.
// With --doors, what clients were told is compared with the log. The last line is the checker's verdict in JSON; the exit code is 1 when it is
// not "ok". The seed chooses whom to kill and when; what the killed were doing at that moment is the machine's.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createServerDatabase, startTestServer } from "@toolwright/postgres/testing";
import { productArguments } from "../product-arguments.ts";
import { serveChatModel } from "./chat-model.ts";
import { checkChats } from "./check-chats.ts";
import { checkHistory, type Fact } from "./check-history.ts";
import { commandLineDoor } from "./doors/command-line-door.ts";
import { type DoorLoad, loadDoors } from "./doors/load-doors.ts";
import { httpDoors, stdioDoors } from "./doors/mcp-doors.ts";
import { freePort, layOutProduct, type Product, startServing, untilServing } from "./product.ts";
import { createRandom } from "./random.ts";
import { type Plan, readOptions } from "./read-options.ts";
import { soak } from "./soak.ts";

const cache = fileURLToPath(new URL("../../node_modules/.cache/toolwright", import.meta.url));
const loadMain = fileURLToPath(new URL("load-main.ts", import.meta.url));
const chatMain = fileURLToPath(new URL("chat-main.ts", import.meta.url));
const faultToolNames = ["mark", "pay", "stumble", "keep", "glance"];

/** When a process is killed: a kind after the other, so that three kills are one of each. Starting is when it takes up what was left: it may die of that too. */
const moments = ["at work", "awake again", "at work and starting"] as const;
type Moment = (typeof moments)[number];

/** A process that is killed and started again. */
interface Member {
  readonly name: string;
  start(waits: boolean): Promise<ChildProcess>;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const read = readOptions(process.argv.slice(2));
  if ("help" in read) {
    console.log(read.help);
    return 0;
  }
  if ("mistake" in read) {
    console.error(read.mistake);
    return 2;
  }
  const { places, minutes, ...plan } = read;
  const verdicts = [];
  for (const on of places) {
    if (minutes > 0) verdicts.push(await onPlace(on, (place) => soak({ ...place, on, minutes })));
    else verdicts.push(await runPlan({ ...plan, on }));
    console.log(`${on}: ${JSON.stringify(verdicts.at(-1))}`);
  }
  const ok = verdicts.every((verdict) => verdict.ok);
  console.log(JSON.stringify({ ok, seed: plan.seed, verdicts }));
  return ok ? 0 : 1;
}

interface Place {
  readonly folder: string;
  readonly effects: string;
  readonly url: string | undefined;
  readonly cache: string;
}

/** A folder with a database of its own, both gone afterwards. */
async function onPlace<Result>(on: string, work: (place: Place) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-faults-"));
  const effects = join(folder, "effects");
  writeFileSync(effects, "");
  const database = on === "server" ? await openServerDatabase() : undefined;
  try {
    return await work({ folder, effects, url: database?.url, cache });
  } finally {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** On the server of the test run where this is part of one: what is killed here are processes of the product. */
async function openServerDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  if (process.env.TOOLWRIGHT_TEST_DATABASE) return createServerDatabase();
  const { url, stop } = await startTestServer();
  return { url, drop: stop };
}

function runPlan(plan: Plan) {
  return onPlace(plan.on, async (place) => {
    const { folder, effects, url } = place;
    const facts: Fact[] = [];
    const random = createRandom(plan.seed);
    const product = plan.doors ? layOutProduct({ root: folder, cache, effects, url }, faultToolNames) : undefined;
    const ports = product ? await Promise.all((plan.on === "server" ? [1, 2] : [1]).map(freePort)) : [];
    const model = plan.agents ? await serveChatModel(createRandom(plan.seed + 2)) : undefined;
    const members = product ? ports.map((port) => servingMember(product, port)) : loadMembers(plan, place, { facts, model: model?.url });
    const running: { readonly member: Member; child: ChildProcess }[] = [];
    for (const member of members) running.push({ member, child: await member.start(true) });
    const load = product && openLoad(product, ports, { random: createRandom(plan.seed + 1), pause: plan.pause, facts });
    const startedAt = performance.now();
    for (let kill = 1; kill <= plan.kills; kill += 1) {
      await (load ? load.untilAnswered() : untilConfirmed(facts));
      // A chat takes longer than a call.
      await sleep(50 + (plan.agents ? 4_000 : 700) * random());
      const victim = running[Math.floor(running.length * random())] as (typeof running)[number];
      await killOne(victim, { moment: moments[(plan.seed + kill) % moments.length] as Moment, random });
      if (random() < 0.3) load?.killOne();
      if (kill % 10 === 0)
        console.log(`${plan.on}: ${kill} of ${plan.kills} kills, ${facts.length} confirmed, ${secondsSince(startedAt)} s`);
    }
    await load?.stop();
    await Promise.all(running.map(({ child }) => end(child, "SIGTERM")));
    const history = { ...(url && { url }), folder: join(folder, "store"), cache, effects, facts };
    const verdict = await (model ? checkChats({ ...history, model }) : checkHistory(history));
    await model?.close();
    return { on: plan.on, kills: plan.kills, ...verdict };
  });
}

/** Resolves when something more was confirmed, or after a while: who was told nothing shows nothing. */
async function untilConfirmed(facts: readonly Fact[]): Promise<void> {
  const before = facts.length;
  for (let tries = 0; tries < 1_200 && facts.length === before; tries += 1) await sleep(50);
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 1000);
}

interface Loading {
  readonly facts: Fact[];
  /** Address of the model of agents. */
  readonly model: string | undefined;
}

/** Processes that call by the engine alone, and confirm on stdout. */
function loadMembers({ on, pause, seed, trees }: Plan, { folder, effects, url }: Place, { facts, model }: Loading): Member[] {
  let started = 0;
  const main = model === undefined ? loadMain : chatMain;
  const names =
    on === "embedded"
      ? [{ name: "one", isWorker: true, makesLoad: true }]
      : [
          { name: "server1", isWorker: false, makesLoad: true },
          { name: "server2", isWorker: false, makesLoad: true },
          { name: "worker1", isWorker: true, makesLoad: false },
          { name: "worker2", isWorker: true, makesLoad: false },
        ];
  return names.map((member) => ({
    name: member.name,
    async start(waits) {
      started += 1;
      const orders = {
        ...member,
        ...(url && { url }),
        folder: join(folder, "store"),
        cache,
        effects,
        trees,
        model,
        pause,
        seed: seed + started,
      };
      const child = spawn(process.execPath, [...productArguments, main], {
        env: { ...process.env, FAULTS: JSON.stringify(orders) },
        stdio: ["ignore", "pipe", process.env.FAULTS_VERBOSE ? "inherit" : "ignore"],
      });
      const ready = Promise.withResolvers<void>();
      createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).on("line", (line) => {
        const fact = JSON.parse(line) as Fact & { ready?: string };
        if (fact.ready === undefined) facts.push(fact);
        else ready.resolve();
      });
      child.once("exit", () => ready.resolve());
      if (waits) await ready.promise;
      return child;
    },
  }));
}

function servingMember(product: Product, port: number): Member {
  return {
    name: `serve ${port}`,
    async start(waits) {
      const child = startServing(product, port);
      const serving = untilServing(child);
      if (waits) await serving;
      return child;
    },
  };
}

interface LoadPlan extends Pick<Plan, "pause"> {
  readonly random: () => number;
  readonly facts: Fact[];
}

function openLoad(product: Product, ports: readonly number[], { random, pause, facts }: LoadPlan): DoorLoad {
  const addresses = ports.map((port) => `http://127.0.0.1:${port}/mcp`);
  const doors = [...httpDoors(addresses), ...stdioDoors(product), commandLineDoor(product)];
  return loadDoors({ doors, random, pause, confirm: (fact) => void facts.push(fact) });
}

async function killOne(
  victim: { readonly member: Member; child: ChildProcess },
  { moment, random }: { readonly moment: Moment; readonly random: () => number },
): Promise<void> {
  const { member } = victim;
  if (moment === "awake again") await pauseAWhile(victim.child, 500 + 2_000 * random());
  await end(victim.child, "SIGKILL");
  if (moment === "at work and starting") {
    victim.child = await member.start(false);
    await sleep(2_500 * random());
    await end(victim.child, "SIGKILL");
  }
  victim.child = await member.start(true);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  const late = setTimeout(() => child.kill("SIGKILL"), 20_000);
  await gone;
  clearTimeout(late);
}

/** A process that sleeps for a while has missed things when it wakes up. */
async function pauseAWhile(child: ChildProcess, ms: number): Promise<void> {
  child.kill("SIGSTOP");
  await sleep(ms);
  child.kill("SIGCONT");
  await sleep(100);
}
