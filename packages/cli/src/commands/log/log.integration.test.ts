import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallEvent, CallUsage } from "@toolwright/engine";
import type { Store } from "@toolwright/postgres";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { holdStore } from "../../../test/hold-store.ts";
import { runIn } from "../../../test/test-io.ts";
import { cliPrincipal } from "../../caller.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
let store: Store;
const nasty = "a\r\nfake line\u001b[31mred\u009b2J\u202e";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-log-"));
  await mkdir(join(root, "workspace"));
  const facts = { at: Date.now(), tenant: "default", actor: { kind: "user", id: "ann" }, door: "cli", source: "cli" } as const;
  const usage = { inputTokens: 600, outputTokens: 15, cost: 0.000_000_2 };
  const decision = (reason: string) => ({ effect: "allow", layer: "tool", rule: "tools.allow[0]", reason, revision: "0123456789abcdef" });
  const call = (session: string, callId: string, output: string): readonly CallEvent[] => [
    { ...facts, session, callId, tool: "file_read", type: "tool.started", data: { ...decision(output), input: { path: output } } },
    { ...facts, session, callId, tool: "file_read", type: "tool.completed", data: { durationMs: 4, output, usage } },
  ];
  // Held open: the commands use the folder beside this process, as they would beside a server.
  store = await holdStore(join(root, "home/.local/state/toolwright"));
  await store.tenants.ensure("quiet");
  await store.events.append([...call("s1", "call_1", "plain"), ...call("s2", "call_2", nasty)]);
});
afterAll(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
});

async function run(line: string, signal = new AbortController().signal, onText: (text: string) => void = () => {}) {
  let text = "";
  const out = (words: string) => {
    text += words;
    onText(words);
  };
  const { code } = await runIn(root, line.split(" "), { out, err: onText, outIsTerminal: true, signal });
  return { code, text };
}

test("a session's events are shown, one line each, and nothing in them is obeyed by a terminal (R-AU-3)", async () => {
  const { code, text } = await run("log show s2");
  expect(code).toBe(exitCodes.done);
  expect(text.trimEnd().split("\n")).toHaveLength(2);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is tested.
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  const json = await run("log show s2 --json");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is tested.
  expect(json.text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(JSON.parse(json.text.trimEnd().split("\n")[1] ?? "").event.data.output).toBe(nasty);
});

test("a long session is shown to its end, from where one says, and one that there is not is refused", { timeout: 60_000 }, async () => {
  const [first] = await store.events.read({ tenant: "default", session: "s1" });
  if (first) await store.events.append(Array.from({ length: 1_001 }, () => ({ ...first.event, session: "long" })));
  const linesOf = ({ text }: { readonly text: string }) => text.trimEnd().split("\n");
  const shown = await run("log show long --json");
  expect(linesOf(shown).map((line) => JSON.parse(line).sequence)).toEqual(Array.from({ length: 1_001 }, (_, index) => index + 1));
  expect(linesOf(await run("log show long"))).toHaveLength(1_001);
  expect(linesOf(await run("log show long --after 999"))).toHaveLength(2);
  await sql`delete from toolwright.events where session = 'long' and sequence <= 1000`.execute(store.database.owner);
  await sql`update toolwright.sessions set removed_through = 1000, removed_hash = '', removed_at = now() where session = 'long'`.execute(
    store.database.owner,
  );
  expect((await run("log show long")).text).toMatch(/^.* long#1001 /);
  expect((await runIn(root, ["log", "show", "long"])).err).toMatch(/^Events 1 to 1000 were removed by retention at \S+Z\.\n$/);
  await sql`delete from toolwright.events where session = 'long'`.execute(store.database.owner);
  await sql`delete from toolwright.sessions where session = 'long'`.execute(store.database.owner);
  const words = 'There is no session "long" in the log. See them with: toolwright log sessions';
  expect(await runIn(root, ["log", "show", "long"])).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining(words) });
});

test("runs are listed and shown as one record, as text and as JSON", async () => {
  const { text } = await run("runs list --json --tool file_read");
  expect(JSON.parse(text).runs.map(({ id }: { id: string }) => id)).toEqual(["call_2", "call_1"]);
  expect((await run("runs list --status error")).text).toBe("There is no such run.\n");
  expect((await run("runs list --user nobody --door form --decision ask --parent call_1")).text).toBe("There is no such run.\n");
  expect((await run("runs list --tenant quiet")).text).toBe("There are no runs yet: toolwright call TOOL\n");
  expect((await run("runs show call_1")).text).toMatch(/status {6}success/);
  expect((await run("runs show call_9")).code).toBe(exitCodes.usage);
});

test("how a call was decided is told as the log has it, under the policy of then", async () => {
  const { text } = await run("runs why call_1");
  expect(text).toMatch(/^Allowed at \S+: plain\n {2}rule: tools\.allow\[0\] \(tool layer\)\n/);
  expect(text).toMatch(/policy revision: 0123456789ab, not the one in force now \([0-9a-f]{12}\)\n$/);
  expect((await run("runs why call_2")).text.trimEnd().split("\n")).toHaveLength(3);
  expect(JSON.parse((await run("runs why call_1 --json")).text).decisions).toHaveLength(1);
  expect((await run("runs why call_9")).code).toBe(exitCodes.usage);
});

test.each([
  ["an unknown status", "runs list --status lost", /--status: expected one of "running", "success"/],
  ["an unknown source", "runs list --source bogus", /--source: expected one of "web", "agent", "api", "cli", "mcp", "schedule"/],
  ["an unknown decision", "runs list --decision maybe", /--decision: expected one of "allow", "ask", "deny"/],
  ["a page that there is not", "runs list --after nonsense", /no page of runs after "nonsense"/],
  ["a day that there is not", "runs list --since 2026-02-31", /is not a time/],
  ["a time that has not come", "log export --since 2999-01-01", /has not come yet/],
])("%s is refused, not taken for another", async (_, line, words) => {
  const { code, err } = await runIn(root, line.split(" "));
  expect(code).not.toBe(exitCodes.done);
  expect(err).toMatch(words);
});

test("times of lists say that they are UTC", async () => {
  const utc = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /;
  expect((await run("runs list")).text).toMatch(utc);
  expect((await run("log sessions")).text).toMatch(utc);
});

test("usage is told by tool and by day", async () => {
  const { text } = await run("usage --by tool --since 7d --json");
  expect(JSON.parse(text)).toMatchObject([{ key: "file_read", calls: 2, done: 2, durationMs: 8 }]);
  const table = (await run("usage --by tool --since 7d")).text;
  expect(table).toMatch(/tokens in +cached +tokens out +cost \$\n.* 1200 +0 +30 +0\.0000004\n/i);
  expect((await run("usage --by week")).code).toBe(exitCodes.usage);
});

test("usage lists the limits of who asks, with what is used of each, and nobody else's", async () => {
  const { text } = await run("usage --limits --json");
  expect(JSON.parse(text)).toEqual([
    { limit: "sessionsOfADay", counts: "new sessions a day", used: expect.any(Number), most: 1_000 },
    { limit: "openUploads", counts: "uploads that are not finished", used: 0, most: 20 },
    { limit: "uploads", counts: "documents that wait to be read", used: 0, most: 1_000 },
    { limit: "uploadBytes", counts: "bytes of documents that wait to be read", used: 0, most: 2_000_000_000 },
    { limit: "jobs", counts: "jobs that wait or run", used: 0, most: 1_000 },
    { limit: "artifactBytes", counts: "bytes of artifacts", used: 0, most: 5_368_709_120 },
  ]);
  const used = JSON.parse(text)[0].used;
  for (const key of [`sessions of user ${cliPrincipal({ isInteractive: false }).actor.id}`, "sessions of user somebody-else"])
    await store.limiter.reserve({ tenant: "default", key }, { count: 10, windowMs: 60_000 }, store.clock.now());
  expect(JSON.parse((await run("usage --limits --json")).text)[0].used).toBe(used + 1);
  expect((await run("usage --limits")).text).toMatch(/you may have +used +at most\n[\s\S]*bytes of artifacts +0 +5,368,709,120\n/i);
  for (const line of ["usage --limits --tool exec", "usage --limits --models"]) expect((await run(line)).code).toBe(exitCodes.usage);
});

test("usage of models and limits are commands, before whose words no option stands", async () => {
  for (const [now, before] of [
    ["usage limits --json", "usage --limits --json"],
    ["usage models --json", "usage --by model --json"],
  ] as const)
    expect(await run(now)).toEqual(await run(before));
  const misplaced = await runIn(root, ["usage", "--agent", "coder", "limits"]);
  expect(misplaced).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining("Write --agent behind the words") });
});

test("usage of models is told by model and by agent, with the cost that is known", async () => {
  expect((await run("usage --by model")).text).toBe("No agent asked a model in that time.\n");
  const principal = { tenant: "default", actor: { kind: "user", id: "ann" }, permissions: [], door: "cli" } as const;
  const ask = async (id: string, agent: string, usage: CallUsage) => {
    const turn = { tenant: "default", id, conversation: id, agent, principal, callId: "call_1", createdAt: Date.now() };
    await store.turns.begin(turn, {}, { holder: "p1", until: Date.now() });
    await store.turns.keep({ ...turn, holder: "p1" }, { step: 1, response: {}, settled: [], delivered: [], usage, at: Date.now() });
  };
  await ask("t1", "helper", {
    models: ["p/small"],
    inputTokens: 600,
    cachedInputTokens: 400,
    outputTokens: 15,
    reasoningTokens: 9,
    cost: 0.2,
  });
  await ask("t2", "other", { models: ["own/llama"], inputTokens: 70, outputTokens: 5, estimated: true });
  const { text } = await run("usage --by model");
  expect(text).toMatch(
    /^model .*requests +tokens in +cached +written +tokens out +reasoning +cost \$\np\/small +1 +1 +600 +400 +0 +15 +9 +0\.2\nown\/llama +1 +1 +70 /i,
  );
  expect(text).toContain("Without the cost of 1 turn, whose model has no known price.\nThe tokens of 1 turn are estimated");
  const { text: json } = await run("usage --models --by agent --agent helper --json");
  expect(JSON.parse(json)).toMatchObject([{ key: "helper", requests: 1, cost: 0.2, unpriced: 0 }]);
  for (const line of ["usage --models", "usage --models --by hour", "usage --by model --tool exec"])
    expect((await run(line)).code).toBe(exitCodes.usage);
});

test("the log is followed while another process writes", async () => {
  const stop = new AbortController();
  const following = run("log follow --json --session s3", stop.signal, (text) => {
    if (text.includes("call_3")) stop.abort();
  });
  const [first] = await store.events.read({ tenant: "default", session: "s1" });
  // It begins with what is written after it began to listen, so it is written to until it has said something.
  for (let at = 0; first && !stop.signal.aborted; at += 1)
    await store.events.append([{ ...first.event, session: "s3", callId: "call_3", at }]);
  const { code, text } = await following;
  expect(code).toBe(exitCodes.done);
  expect(JSON.parse(text.trimEnd().split("\n")[0] ?? "").event.callId).toBe("call_3");
});

test("the log is verified, with an anchor against a cut that was covered up, and the exit code says so (R-AU-2)", async () => {
  const anchored = await run(`log anchor ${join(root, "heads.json")}`);
  expect(anchored.code).toBe(exitCodes.done);
  expect(JSON.parse(await readFile(join(root, "heads.json"), "utf8")).heads).toHaveLength(3);
  expect((await run(`log anchor ${join(root, "heads.json")}`)).code).toBe(exitCodes.usage);
  expect((await run("log verify --all")).code).toBe(exitCodes.done);
  expect((await run("log verify")).code).toBe(exitCodes.usage);
  await sql`delete from toolwright.events where session = 's1' and sequence = 2`.execute(store.database.owner);
  await sql`update toolwright.sessions set sequence = 1, hash = (select hash from toolwright.events where session = 's1') where session = 's1'`.execute(
    store.database.owner,
  );
  expect((await run("log verify --session s1")).code).toBe(exitCodes.done);
  const { code, text } = await run(`log verify --session s1 --anchor ${join(root, "heads.json")}`);
  expect(code).toBe(exitCodes.failed);
  expect(text).toContain("s1 #2 truncated: Event 2, the newest, is missing.");
});
