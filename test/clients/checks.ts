import { setTimeout as wait } from "node:timers/promises";
import type { Played, Step } from "./model-server.ts";
import { type Rig, type Running, runs } from "./rig.ts";

export interface Outcome {
  readonly check: string;
  readonly passed: boolean;
  /** What was found where it failed; how long it took, or what is special, where it passed. */
  readonly detail: string;
}

export interface CheckOptions {
  /** Seconds of the long command. */
  readonly longSeconds: number;
  readonly tell: (outcome: Outcome) => void;
}

/** Seconds after which nothing of a vanished client may be left. */
const leftSeconds = 20;

/** The names of all checks, in the order in which they run and are printed. */
export const checkNames = [
  "lists",
  "reads",
  "repair told",
  "cut told",
  "asks",
  "decline is no answer",
  "approved runs",
  "runs once",
  "SIGKILL ends sleep",
  "SIGINT ends sleep",
  "server restarts",
  "long command",
  "long, no timeout",
  "lists on stdio",
  "reads on stdio",
  "hook allows",
  "hook denies",
  "hook asks",
  "hooks are logged",
  "uninstalls",
] as const;
type CheckName = (typeof checkNames)[number];

/** Runs every check of one client, and goes on after one that fails. */
export async function runChecks(rig: Rig, { longSeconds, tell }: CheckOptions): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const judge: Judge = (check, passed, detail) => {
    const outcome = { check, passed, detail: passed ? detail.slice(0, 60) : detail.slice(0, 1500) };
    outcomes.push(outcome);
    tell(outcome);
  };
  const phase = async (names: readonly CheckName[], work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      const missing = names.filter((name) => !outcomes.some(({ check }) => check === name));
      for (const [index, name] of missing.entries()) judge(name, false, index === 0 ? (error as Error).message : `as ${missing[0]}`);
    }
  };
  await phase(["lists", "reads", "repair told", "cut told", "asks", "decline is no answer", "approved runs", "runs once"], () =>
    useTools(rig, judge),
  );
  await phase(["SIGKILL ends sleep"], () => vanish(rig, judge, "SIGKILL"));
  await phase(["SIGINT ends sleep"], () => vanish(rig, judge, "SIGINT"));
  await phase(["server restarts"], () => restart(rig, judge));
  await phase(["long command", "long, no timeout"], () => runLong(rig, judge, longSeconds));
  await phase(["lists on stdio", "reads on stdio"], () => useStdio(rig, judge));
  const { shell } = rig.client;
  if (shell !== undefined)
    await phase(["hook allows", "hook denies", "hook asks", "hooks are logged"], () => guardOwnShell(rig, judge, shell));
  await phase(["uninstalls"], () => takeBack(rig, judge));
  return outcomes;
}

type Judge = (check: CheckName, passed: boolean, detail: string) => void;

const read: Step = { tool: "file_read", input: { path: "notes.txt" } };
const pay: Step = { tool: "pay", input: { to: "Ann" } };
const short = (text = "") => text.replace(/\s+/g, " ").slice(0, 700);

async function useTools(rig: Rig, judge: Judge): Promise<void> {
  // Another name of a member: some clients make a number of a text themselves.
  const repaired: Step = { tool: "exec", input: { cmd: "echo hello" } };
  const long: Step = { tool: "exec", input: { command: "seq 1 60000" } };
  const { tools, results } = await rig.play([read, repaired, long, pay]);
  const [plain = "", repair = "", cut = "", asked = ""] = results;
  await judgeList(rig, judge, { check: "lists", tools });
  judge("reads", plain.includes("second"), short(plain));
  const refusedByClient = rig.client.checksInput === true && !repair.includes("hello");
  judge("repair told", refusedByClient || /repair/i.test(repair), refusedByClient ? "the client checks input itself" : short(repair));
  judge("cut told", /art_[\w-]{10,}/.test(cut), `${cut.length} characters: ${short(cut)} ... ${cut.slice(-300)}`);
  const [, id] = /approvals approve (apr_[\w-]+)/.exec(asked) ?? [];
  judge("asks", id !== undefined, id ?? short(asked));
  const { output: open } = await rig.run("approvals", "list", "--json");
  const isOpen = id !== undefined && open.includes(id) && (await rig.payments()) === 0;
  judge("decline is no answer", isOpen, isOpen ? "the approval stays open" : short(open));
  const approved = await rig.run("approvals", "approve", id ?? "");
  const again = await rig.play([pay, pay]);
  judge("approved runs", (again.results[0] ?? "").includes("Paid Ann."), `${short(approved.output)} ${short(again.results[0])}`);
  const payments = await rig.payments();
  judge("runs once", payments === 1, `ran ${payments} times`);
}

async function judgeList(
  rig: Rig,
  judge: Judge,
  { check, tools }: { readonly check: CheckName; readonly tools: readonly string[] },
): Promise<void> {
  const all = (JSON.parse((await rig.ours("list", "--json")).output) as { readonly name: string }[]).map(({ name }) => name);
  const missing = all.filter((name) => !tools.includes(name));
  judge(check, all.length > 10 && missing.length === 0, missing.length === 0 ? `${all.length} tools` : `not listed: ${missing.join(", ")}`);
}

let sleeps = 0;

/** The client ends while a command runs that nobody waits for any more. */
async function vanish(rig: Rig, judge: Judge, signal: "SIGKILL" | "SIGINT"): Promise<void> {
  const check: CheckName = `${signal} ends sleep`;
  // Its own number, by which the process is found among those of other runs.
  const seconds = `${80_000 + (process.pid % 1000)}.${++sleeps}`;
  const running = rig.prompt([{ tool: "exec", input: { command: `sleep ${seconds}`, timeout: 600 } }]);
  const started = await until(() => runs(seconds), 90, running);
  if (!started) return judge(check, false, `the command did not start: ${short((await endNow(running)).output)}`);
  running.signal(signal);
  let ended = await endsWithin(running, 5);
  // A second time, as a person does when nothing happens.
  if (!ended) running.signal(signal);
  ended ||= await endsWithin(running, 5);
  const from = performance.now();
  const gone = await until(async () => !(await runs(seconds)), leftSeconds);
  const took = ((performance.now() - from) / 1000).toFixed(1);
  if (!ended) await endNow(running);
  judge(
    check,
    gone,
    gone
      ? `gone after ${took} s${ended ? "" : ", the client had not ended"}`
      : `the command runs on ${leftSeconds} s after the client's end`,
  );
}

async function restart(rig: Rig, judge: Judge): Promise<void> {
  const before = async () => {
    await rig.killServer();
    await rig.serve();
  };
  const { results } = await rig.play([read, { before }, read], 60_000);
  judge("server restarts", (results[1] ?? "").includes("second"), short(results[1]));
}

/** Once with the time that it needs, and once without a word of it. */
async function runLong(rig: Rig, judge: Judge, seconds: number): Promise<void> {
  const command = `sleep ${seconds}; echo woke up`;
  const steps: readonly Step[] = [
    { tool: "exec", input: { command, timeout: seconds + 60 } },
    { tool: "exec", input: { command } },
  ];
  const { results } = await rig.play(steps, 2 * (seconds + 60) * 1000);
  for (const [index, check] of (["long command", "long, no timeout"] as const).entries()) {
    const result = results[index] ?? "";
    const hasEnded = result.includes("woke up");
    const hasHandle = /\bproc?_[\w-]{8,}/.test(result);
    judge(check, hasEnded || hasHandle, hasEnded || hasHandle ? (hasEnded ? "its result" : "a handle") : short(result));
  }
}

async function useStdio(rig: Rig, judge: Judge): Promise<void> {
  await rig.install("--stdio");
  const played: Played = await rig.play([read], 60_000);
  await judgeList(rig, judge, { check: "lists on stdio", tools: played.tools });
  judge("reads on stdio", (played.results[0] ?? "").includes("second"), short(played.results[0]));
}

/** The client's own shell, under the policy of whoever has none. Nobody is there to be asked, so what asks does not run. */
async function guardOwnShell(rig: Rig, judge: Judge, tool: string): Promise<void> {
  await rig.install("--hooks", "--policy", rig.supervised);
  const commands = ["echo hooked", "rm -rf ~", "git push"];
  const { results } = await rig.play(
    commands.map((command) => ({ tool, input: { command }, own: true })),
    60_000,
  );
  const [allowed = "", denied = "", asked = ""] = results;
  judge("hook allows", allowed.includes("hooked"), short(allowed));
  judge("hook denies", denied.includes("commands.block_high_risk"), short(denied));
  judge("hook asks", asked.includes("default.containment.network"), short(asked));
  const { output } = await rig.run("runs", "list", "--json");
  const listed = JSON.parse(output) as { readonly runs: readonly { readonly door: string; readonly status: string }[] };
  const runs = listed.runs.filter(({ door }) => door === "hook");
  const statuses = runs
    .map(({ status }) => status)
    .sort()
    .join(" ");
  judge("hooks are logged", statuses === "denied pending success", statuses || short(output));
}

async function takeBack(rig: Rig, judge: Judge): Promise<void> {
  const { code, output } = await rig.run("uninstall", rig.client.name, "--yes");
  const left = await rig.leftEntries();
  judge("uninstalls", code === 0 && left === 0, code === 0 && left === 0 ? "" : `${left} entries left; ${short(output)}`);
}

/** False when it does not come about in time, or the client ends before. */
async function until(holds: () => Promise<boolean>, seconds: number, running?: Running): Promise<boolean> {
  const deadline = performance.now() + seconds * 1000;
  let hasEnded = false;
  void running?.ended.then(() => {
    hasEnded = true;
  });
  while (performance.now() < deadline) {
    if (await holds()) return true;
    if (hasEnded) return false;
    await wait(250);
  }
  return holds();
}

async function endsWithin(running: Running, seconds: number): Promise<boolean> {
  return Promise.race([running.ended.then(() => true), wait(seconds * 1000, false)]);
}

async function endNow(running: Running) {
  running.signal("SIGKILL");
  return running.ended;
}
