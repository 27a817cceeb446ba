import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { runProgram } from "../program.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-jobs-"));
  await mkdir(join(root, "workspace"));
  await writeFile(join(root, "workspace", "note.txt"), "the note\n");
  await mkdir(join(root, ".config", "toolwright"), { recursive: true });
  await writeFile(join(root, ".config", "toolwright", "policy.yaml"), "version: 1\ntools:\n  ask: [file_list]\n");
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function run(argv: readonly string[], signal = new AbortController().signal) {
  const said = { out: "", err: "" };
  const io: Io = {
    env: { HOME: root, PATH: process.env.PATH, XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE },
    cwd: root,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    outBytes: async () => {},
    readStdin: async () => "",
    inputEnded: async () => {},
    isInteractive: false,
    outIsTerminal: false,
    columns: 200,
    ask: async () => undefined,
    signal,
  };
  return { code: await runProgram(argv, io), ...said };
}

const note = ["file_read", "--input", '{"path": "note.txt"}'];

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

  const asks = ["file_list", "--input", '{"path": "."}', "--wait"];
  expect((await run(["jobs", "run", ...asks])).code).toBe(exitCodes.denied);
  expect((await run(["jobs", "run", ...asks, "--allow", "path read ."])).out).toContain("note.txt");

  stop.abort();
  expect(await worker).toMatchObject({ code: exitCodes.done, err: expect.stringContaining("Stopping") });
});

test("a schedule is added, listed, paused, resumed and removed", { timeout: 60_000 }, async () => {
  const cron = ["--cron", "30 9 * * 1-5", "--zone", "Europe/Berlin"];
  expect((await run(["schedule", "add", "news", ...note, ...cron, "--missed", "all:3"])).out).toMatch(/Runs next at .*T0[78]:30:00/);
  expect(JSON.parse((await run(["schedule", "list", "--json"])).out)).toMatchObject([
    { name: "news", cron: "30 9 * * 1-5", zone: "Europe/Berlin", missed: { rule: "all", most: 3 } },
  ]);
  await run(["schedule", "pause", "news"]);
  expect((await run(["schedule", "list"])).out).toMatch(/news +30 9 \* \* 1-5 \(Europe\/Berlin\) +paused/);
  expect((await run(["schedule", "resume", "news"])).out).toContain("Runs next");
  expect((await run(["schedule", "remove", "news"])).code).toBe(exitCodes.done);
  expect((await run(["schedule", "list"])).out).toBe("There are no schedules.\n");
});

test.each([
  ["an unknown tool", ["jobs", "run", "nothing_like_it"], exitCodes.usage, /no tool/],
  ["input that is not JSON", ["jobs", "run", "file_read", "--input", "{"], exitCodes.usage, /not JSON/],
  ["an unknown job", ["jobs", "show", "job_x"], exitCodes.failed, /no job or schedule/],
  ["a time that is none", ["jobs", "run", ...note, "--at", "tomorrow"], exitCodes.usage, /not a time/],
  ["a cron line of six fields", ["schedule", "add", "x", ...note, "--cron", "* * * * * *"], exitCodes.failed, /five fields/],
  ["no time at all", ["schedule", "add", "x", ...note], exitCodes.usage, /Say when/],
  ["a state that is none", ["jobs", "list", "--state", "broken"], exitCodes.usage, /no state/],
  ["an allowance without a pattern", ["jobs", "run", ...note, "--allow", "command"], exitCodes.usage, /nothing that can be allowed/],
])("refuses %s with a word on what to do", async (_, argv, code, words) => {
  const said = await run(argv);
  expect(said.code).toBe(code);
  expect(said.err).toMatch(words);
});
