// Kills processes of a store under load at random moments and checks afterwards what is left:
//   npm run test:faults -- [--kills 200] [--seed N] [--on embedded|server]
// The last line is the checker's verdict in JSON; the exit code is 1 when it is not "ok". The seed chooses whom to kill and when; what the
// killed were doing at that moment is the machine's.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startTestServer } from "@toolwright/postgres/testing";
import { checkHistory, type Fact } from "./check-history.ts";
import { createRandom } from "./random.ts";

const cache = fileURLToPath(new URL("../../node_modules/.cache/toolwright", import.meta.url));
const loadMain = fileURLToPath(new URL("load-main.ts", import.meta.url));

interface Plan {
  readonly kills: number;
  readonly seed: number;
  readonly on: "embedded" | "server";
}

interface Member {
  readonly name: string;
  readonly isWorker: boolean;
  readonly makesLoad: boolean;
  child: ChildProcess;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { kills: { type: "string" }, seed: { type: "string" }, on: { type: "string" } } });
  const kills = Number(values.kills ?? 200);
  const seed = Number(values.seed ?? Date.now() % 2 ** 31);
  const places = values.on === undefined ? (["embedded", "server"] as const) : [values.on];
  if (
    !Number.isInteger(kills) ||
    kills < 0 ||
    !Number.isInteger(seed) ||
    !places.every((place) => place === "embedded" || place === "server")
  ) {
    console.error("Usage: npm run test:faults -- [--kills 200] [--seed NUMBER] [--on embedded|server]");
    return 2;
  }
  const verdicts = [];
  for (const on of places) verdicts.push(await runPlan({ kills, seed, on: on as Plan["on"] }));
  const ok = verdicts.every((verdict) => verdict.ok);
  console.log(JSON.stringify({ ok, seed, verdicts }));
  return ok ? 0 : 1;
}

async function runPlan({ kills, seed, on }: Plan) {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-faults-"));
  const effects = join(folder, "effects");
  writeFileSync(effects, "");
  const server = on === "server" ? await startTestServer() : undefined;
  const facts: Fact[] = [];
  const random = createRandom(seed);
  let started = 0;
  const start = async (member: Omit<Member, "child">, waits = true): Promise<ChildProcess> => {
    started += 1;
    const orders = { ...member, ...(server && { url: server.url }), folder: join(folder, "store"), cache, effects, seed: seed + started };
    const child = spawn(process.execPath, ["--conditions=@toolwright/source", loadMain], {
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
  };
  try {
    const names: readonly Omit<Member, "child">[] =
      on === "embedded"
        ? [{ name: "one", isWorker: true, makesLoad: true }]
        : [
            { name: "server1", isWorker: false, makesLoad: true },
            { name: "server2", isWorker: false, makesLoad: true },
            { name: "worker1", isWorker: true, makesLoad: false },
            { name: "worker2", isWorker: true, makesLoad: false },
          ];
    const members: Member[] = [];
    for (const name of names) members.push({ ...name, child: await start(name) });
    for (let kill = 1; kill <= kills; kill += 1) {
      await sleep(50 + 700 * random());
      const victim = members[Math.floor(members.length * random())] as Member;
      const manner = random();
      if (manner < 0.1) await pauseAWhile(victim.child, 500 + 2_000 * random());
      await end(victim.child, "SIGKILL");
      // Starting is when it takes up what was left: it may die of that too.
      if (manner > 0.85) {
        victim.child = await start(victim, false);
        await sleep(2_500 * random());
        await end(victim.child, "SIGKILL");
      }
      victim.child = await start(victim);
      if (kill % 20 === 0) console.log(`${on}: ${kill} of ${kills} kills, ${facts.length} confirmed`);
    }
    await Promise.all(members.map(({ child }) => end(child, "SIGTERM")));
    return {
      on,
      kills,
      ...(await checkHistory({ ...(server && { url: server.url }), folder: join(folder, "store"), cache, effects, facts })),
    };
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
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
