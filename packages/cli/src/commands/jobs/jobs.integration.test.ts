import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@toolwright/postgres";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
let store: Store;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-jobs-"));
  await mkdir(join(root, "workspace"));
  await writeFile(join(root, "workspace", "note.txt"), "the note\n");
  await mkdir(join(root, ".config", "toolwright"), { recursive: true });
  await writeFile(join(root, ".config", "toolwright", "policy.yaml"), "version: 1\ntools:\n  ask: [file_list, memory_search]\n");
  database = await createServerDatabase();
  store = await openStore({ url: database.url, folder: join(root, "store"), process: "test", holder: "a test" });
});
afterAll(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
  await database.drop();
});

const run = (argv: readonly string[], signal?: AbortSignal) =>
  runIn(root, argv, { env: { HOME: root, DATABASE_URL: database.url }, ...(signal && { signal }) });

const note = ["file_read", "--input", '{"path": "note.txt"}'];
const misspelt = ["file_read", "--input", '{"pth": 1}'];

test("a job is made, listed, run by a worker, waited for, shown, cancelled and given another try", { timeout: 120_000 }, async () => {
  const made = await run(["jobs", "run", ...note]);
  expect(made).toMatchObject({ code: exitCodes.done, err: expect.stringContaining("toolwright worker") });
  const id = made.out.trim();
  expect((await run(["jobs", "list"])).out).toMatch(new RegExp(`${id} +queued +file_read`));

  const later = await run(["jobs", "run", ...note, "--at", "+1h", "--json"]);
  const { id: laterId } = JSON.parse(later.out);
  expect((await run(["jobs", "cancel", laterId, "--reason", "changed my mind"])).err).toContain("cancelled");
  expect((await run(["jobs", "show", laterId])).out).toContain("changed my mind");

  const stop = new AbortController();
  const worker = run(["worker", "--grace", "1"], stop.signal);
  expect(await run(["jobs", "run", ...note, "--after", id, "--wait"])).toMatchObject({
    code: exitCodes.done,
    out: expect.stringContaining("the note\n"),
  });
  expect(await run(["jobs", "run", "file_read", "--input", '{"path": "missing.txt"}', "--wait"])).toMatchObject({ code: exitCodes.failed });
  const [dead] = JSON.parse((await run(["jobs", "list", "--state", "failed", "--json"])).out);
  await writeFile(join(root, "workspace", "missing.txt"), "now here\n");
  expect((await run(["jobs", "redrive", dead.id])).code).toBe(exitCodes.done);
  expect(await run(["jobs", "run", ...note, "--after", dead.id, "--wait"])).toMatchObject({ code: exitCodes.done });
  expect((await run(["jobs", "show", dead.id])).out).toContain("now here");

  expect((await run(["jobs", "remove", dead.id, laterId])).err).toContain(`Removed ${laterId}.`);
  expect(await run(["jobs", "show", dead.id])).toMatchObject({ code: exitCodes.usage });

  const asks = ["file_list", "--input", '{"path": "."}', "--wait"];
  expect((await run(["jobs", "run", ...asks])).code).toBe(exitCodes.denied);
  expect((await run(["jobs", "run", ...asks, "--allow", "path read ."])).out).toContain("note.txt");
  // Exactly this input, as the tool takes it: the number was written as a text.
  const repaired = ["memory_search", "--input", '{"query": "deploys", "limit": "1"}', "--wait"];
  expect((await run(["jobs", "run", ...repaired])).code).toBe(exitCodes.denied);
  expect((await run(["jobs", "run", ...repaired, "--allow", "input"])).code).toBe(exitCodes.done);

  stop.abort();
  expect(await worker).toMatchObject({ code: exitCodes.done, err: expect.stringContaining("Stopping") });
});

test("a command that waits for a job and is stopped says where to look for it", { timeout: 60_000 }, async () => {
  const stop = new AbortController();
  const waiting = run(["jobs", "run", ...note, "--at", "+1h", "--key", "awaited", "--wait"], stop.signal);
  const isThere = () =>
    store.jobs.list({ tenant: "default", actor: { kind: "user", id: "x" }, permissions: ["jobs:manage"], door: "cli" }, {});
  await expect.poll(async () => (await isThere()).filter(({ state }) => state === "queued")).toHaveLength(1);
  stop.abort();
  const { code, out, err } = await waiting;
  const [, id = ""] = /^It goes on without you: toolwright jobs show (job_\S+)\n$/.exec(err) ?? [];
  expect({ code, out }).toEqual({ code: exitCodes.usage, out: "" });
  expect((await run(["jobs", "cancel", id])).err).toContain("cancelled");
});

test("nothing is made to run later for a tenant that is suspended", { timeout: 60_000 }, async () => {
  await store.tenants.ensure("idle");
  await store.tenants.suspend("idle");
  const inIdle = ["--tenant", "idle"];
  for (const words of [
    ["jobs", "run", ...note],
    ["schedule", "add", "x", ...note, "--at", "+1h"],
  ])
    expect(await run([...words, ...inIdle])).toMatchObject({
      ...{ code: exitCodes.failed, out: "" },
      err: "The tenant idle is suspended, so nothing runs for it. With toolwright tenants resume idle it goes on.\n",
    });
  expect((await run(["jobs", "list", ...inIdle])).out).toContain("There are no such jobs");
});

test("a job says when it runs, or what it waits for", { timeout: 60_000 }, async () => {
  const inAnHour = await run(["jobs", "run", ...note, "--at", "+1h"]);
  expect(inAnHour.err).toMatch(/^It runs at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, when a worker is there/);
  const id = inAnHour.out.trim();
  expect((await run(["jobs", "run", ...note, "--after", id])).err).toContain(`It runs when ${id} is done: `);
  expect(await run(["jobs", "remove", id])).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining("Cancel it first") });
  await run(["jobs", "cancel", id]);
  expect((await run(["jobs", "run", ...note, "--after", id])).err).toContain("It is skipped: toolwright jobs show job_");
});

test("input is checked as a call checks it, in the same words, and repaired as there", { timeout: 60_000 }, async () => {
  const called = await run(["call", "file_read", '{"pth": 1}']);
  const made = await run(["jobs", "run", ...misspelt]);
  expect(made.code).toBe(called.code);
  expect(called.err).toContain(made.err.trim());
  expect((await run(["jobs", "run", "file_read", "--input", '{"path": "note.txt", "startLine": "1"}'])).code).toBe(exitCodes.done);
  expect((await run(["jobs", "list"])).out).toMatch(/ \d{4}-\d\d-\d\dT\d\d:\d\dZ /);
});

test("a schedule that acts for nobody any more says so, in whatever tenant, and goes on when it is resumed", {
  timeout: 60_000,
}, async () => {
  const { database, schedules, tenants } = store;
  await tenants.ensure("acme");
  const ann = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest" } as const;
  await schedules.add(ann, { name: "digest", tool: "file_read", input: { path: "note.txt" }, when: { cron: "0 9 * * *" } });
  const reason = "The user ann is no member of tenant acme any more.";
  await database.asTenant("acme", (query) =>
    query.updateTable("toolwright.schedules").set({ paused: true, pause_reason: reason }).execute(),
  );
  const inAcme = ["--tenant", "acme"];
  expect((await run(["schedule", "list", ...inAcme])).out).toMatch(new RegExp(`digest .*paused .*${reason}`));
  expect((await run(["schedule", "list"])).out).not.toContain("digest");
  expect((await run(["schedule", "resume", "digest", ...inAcme])).code).toBe(exitCodes.done);
  expect((await run(["schedule", "list", ...inAcme])).out).not.toContain(reason);
  expect((await run(["jobs", "list", ...inAcme])).out).toContain("There are no such jobs");
});

test("a schedule is added, listed, paused, resumed and removed", { timeout: 60_000 }, async () => {
  const cron = ["--cron", "30 9 * * 1-5", "--zone", "Europe/Berlin"];
  expect((await run(["schedule", "add", "news", ...note, ...cron, "--missed", "all:3"])).out).toMatch(/Runs next at .*T0[78]:30:00/);
  expect(JSON.parse((await run(["schedule", "list", "--json"])).out)).toMatchObject([
    { name: "news", cron: "30 9 * * 1-5", zone: "Europe/Berlin", missed: { rule: "all", most: 3 } },
  ]);
  expect((await run(["schedule", "list"])).out).toMatch(/T0[78]:30Z +never/);
  await run(["schedule", "pause", "news"]);
  expect((await run(["schedule", "list"])).out).toMatch(/news +30 9 \* \* 1-5 \(Europe\/Berlin\) +paused/);
  expect((await run(["schedule", "resume", "news"])).out).toContain("Runs next");
  expect((await run(["schedule", "remove", "news"])).code).toBe(exitCodes.done);
  expect((await run(["schedule", "list"])).out).toContain("There are no schedules: toolwright schedule add NAME TOOL");
});

test.each([
  ["an unknown tool", ["jobs", "run", "nothing_like_it"], exitCodes.usage, /no tool/],
  ["input that is not JSON", ["jobs", "run", "file_read", "--input", "{"], exitCodes.usage, /not JSON/],
  ["an unknown job", ["jobs", "show", "job_x"], exitCodes.usage, /no job or schedule/],
  ["a time that is none", ["jobs", "run", ...note, "--at", "tomorrow"], exitCodes.usage, /not a time/],
  ["a cron line of six fields", ["schedule", "add", "x", ...note, "--cron", "* * * * * *"], exitCodes.usage, /five fields/],
  ["no time at all", ["schedule", "add", "x", ...note], exitCodes.usage, /Say when/],
  ["two times", ["schedule", "add", "x", ...note, "--at", "+1h", "--cron", "0 9 * * *"], exitCodes.usage, /Say when/],
  [
    "a rule for missed runs that is none",
    ["schedule", "add", "x", ...note, "--at", "+1h", "--missed", "all:0"],
    exitCodes.usage,
    /--missed is skip, once, or all/,
  ],
  ["a number of runs that is none", ["jobs", "run", ...note, "--attempts", "0"], exitCodes.usage, /run 1 to 20 times/],
  [
    "a zone beside a single time",
    ["schedule", "add", "x", ...note, "--at", "+1h", "--zone", "Asia/Tokyo"],
    exitCodes.usage,
    /--zone belongs/,
  ],
  ["a day that there is not", ["schedule", "add", "x", ...note, "--at", "2127-02-31T09:00"], exitCodes.usage, /not a time/],
  ["a time that has passed", ["jobs", "run", ...note, "--at", "2020-01-01T00:00"], exitCodes.usage, /has passed already/],
  ["a misspelt member of a job's input", ["jobs", "run", ...misspelt], exitCodes.usage, /does not fit[\s\S]*\n- \/pth: unknown member/],
  [
    "a misspelt member of a schedule's input",
    ["schedule", "add", "x", ...misspelt, "--at", "+1h"],
    exitCodes.usage,
    /does not fit[\s\S]*\n- \/pth: unknown member/,
  ],
  ["a state that is none", ["jobs", "list", "--state", "broken"], exitCodes.usage, /--state: expected one of "blocked"/],
  ["an allowance without a pattern", ["jobs", "run", ...note, "--allow", "command"], exitCodes.usage, /nothing that can be allowed/],
])("refuses %s with a word on what to do", async (_, argv, code, words) => {
  const said = await run(argv);
  expect(said.code).toBe(code);
  expect(said.err).toMatch(words);
});
