import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallEvent, createMemoryEventLog } from "@toolwright/engine";
import { eventLogConformance } from "@toolwright/engine/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { runProgram } from "../program.ts";
import { recordEvents } from "./record-events.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "toolwright-record-"));
  await mkdir(join(cwd, "workspace"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function run(log: string, ...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const io: Io = {
    env: {
      HOME: join(cwd, "home"),
      USER: "ann",
      PATH: process.env.PATH,
      XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE,
      TOOLWRIGHT_LOG: log,
    },
    cwd,
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
    signal: new AbortController().signal,
  };
  return { code: await runProgram(argv, io), ...said };
}

for (const { name, run: check } of eventLogConformance(async () => ({
  log: recordEvents(join(cwd, "conformance.jsonl"), createMemoryEventLog()),
  cleanup: async () => {},
}))) {
  test(`the log that is recorded ${name}`, check);
}

test("recorded calls are replayed by policy simulate as they are", async () => {
  expect((await run("calls.jsonl", "call", "file_write", "--path", "a.txt", "--content", "b")).code).toBe(exitCodes.done);
  expect((await run("calls.jsonl", "call", "exec", "--command", "rm -rf /")).code).toBe(exitCodes.denied);
  const told = (await readFile(join(cwd, "calls.jsonl"), "utf8")).trimEnd().split("\n");
  expect(told.map((line) => (JSON.parse(line) as CallEvent).type)).toEqual(["tool.started", "tool.completed", "tool.denied"]);
  expect((await stat(join(cwd, "calls.jsonl"))).mode & 0o777).toBe(0o600);
  await writeFile(join(cwd, "changed.yaml"), "version: 1\ntools: { ask: [file_write] }\n");
  const { out } = await run("", "policy", "simulate", "--policy", "changed.yaml", "--calls", "calls.jsonl", "--json");
  expect(JSON.parse(out)).toMatchObject({ calls: 2, changes: { "allow to ask": 1 }, skipped: [] });
});

test("a record in the workspace is refused: a tool could change what was recorded", async () => {
  expect(await run("workspace/calls.jsonl", "list")).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining("TOOLWRIGHT_LOG"),
  });
});

test("a call does not start when it cannot be recorded", async () => {
  const { code } = await run("no-folder/calls.jsonl", "call", "file_write", "--path", "a.txt", "--content", "b");
  expect(code).not.toBe(exitCodes.done);
  await expect(stat(join(cwd, "workspace/a.txt"))).rejects.toThrow();
});
