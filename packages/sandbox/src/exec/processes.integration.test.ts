import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exec } from "@toolwright/engine";
import type { Processes } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHostDriver } from "../drivers/index.ts";
import { createCallSite } from "../testing/call-site.ts";
import { type ExecCapability, type ExecLimits, execCapability } from "./index.ts";

const host = createHostDriver();
let workspace: string;
let capability: ExecCapability;

const make = (limits: Partial<ExecLimits> = {}) => execCapability({ drivers: [host], workspaceOf: () => workspace, limits });
const open = (changes: Parameters<typeof createCallSite>[0] = {}) => capability.open("run", createCallSite(changes)) as Exec;
/** Reads on until the text holds what is awaited, or the process ends. */
const readUntil = async (processes: Processes, id: string, wanted: string) => {
  let read = await processes.read(id, { waitMs: 10_000 });
  let text = read.text;
  while (!text.includes(wanted) && read.info.state === "running") {
    read = await processes.read(id, { cursor: read.cursor, waitMs: 10_000 });
    text += read.text;
  }
  return { ...read, text };
};

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "toolwright-exec-"));
  capability = make();
});
afterEach(async () => {
  await capability.close();
  rmSync(workspace, { recursive: true, force: true });
});
afterAll(() => host.close());

describe("background processes", () => {
  test("one outlives its call and is read with a cursor by a later one", async () => {
    const over = new AbortController();
    const { id, state } = await open({ signal: over.signal }).start({ command: "echo one; read line; echo two $line" });
    over.abort();
    expect(state).toBe("running");
    const later = open();
    const first = await readUntil(later, id, "one\n");
    await later.write(id, "three\n");
    const second = await later.read(id, { cursor: first.cursor, waitMs: 10_000 });
    expect(second).toMatchObject({ text: "two three\n", missed: 0 });
  });

  test("a long poll ends with the process, and the end is in the information", async () => {
    const exec = open();
    const { id } = await exec.start({ command: "read line; exit 4" });
    const reading = exec.read(id, { waitMs: 60_000 });
    await exec.write(id, "", { end: true });
    expect(await reading).toMatchObject({ text: "", info: { state: "exited", exit: { exitCode: 4, reason: "exited" } } });
    expect((await exec.list()).map((info) => info.id)).toEqual([id]);
  });

  test("a long poll ends after its time without output", async () => {
    const exec = open();
    const { id } = await exec.start({ command: "sleep 60" });
    expect(await exec.read(id, { waitMs: 30 })).toMatchObject({ text: "", cursor: 0, info: { state: "running" } });
  });

  test("a long poll ends when its call is aborted", async () => {
    const { id } = await open().start({ command: "sleep 60" });
    const abort = new AbortController();
    const reading = open({ signal: abort.signal }).read(id, { waitMs: 60_000 });
    abort.abort();
    expect(await reading).toMatchObject({ text: "" });
  });

  test("output that fell out of the buffer is counted", async () => {
    capability = make({ backgroundBufferBytes: 1000 });
    const exec = open();
    const { id } = await exec.start({ command: "head -c 5000 /dev/zero | tr '\\0' x; echo end" });
    await readUntil(exec, id, "end\n");
    const { text, missed, cursor } = await exec.read(id);
    expect({ length: text.length, missed, cursor }).toEqual({ length: 1000, missed: 4004, cursor: 5004 });
  });

  test("pieces of at most `maxBytes` never break a character", async () => {
    const exec = open();
    const { id } = await exec.start({ command: "printf 'äöü€😀'" });
    await readUntil(exec, id, "😀");
    const pieces: string[] = [];
    for (let cursor = 0; cursor < 13; ) {
      const read = await exec.read(id, { cursor, maxBytes: 5 });
      pieces.push(read.text);
      cursor = read.cursor;
    }
    expect(pieces).toEqual(["äö", "ü€", "😀"]);
  });

  test("stop ends it, and what has ended takes no input", async () => {
    const exec = open();
    const { id } = await exec.start({ command: "sleep 60" });
    expect(await exec.stop(id)).toMatchObject({ state: "exited", exit: { reason: "stopped" } });
    expect(await exec.stop(id)).toMatchObject({ state: "exited" });
    await expect(exec.write(id, "x")).rejects.toThrow(/takes no input: it has ended/);
  });

  test("writing to one that does not read ends with the call", async () => {
    const { id } = await open().start({ command: "sleep 60" });
    const abort = new AbortController();
    const writing = open({ signal: abort.signal }).write(id, "x".repeat(1_000_000));
    abort.abort();
    await writing;
  });
});

describe("the owner of a process", () => {
  const owner = { session: "s1", principal: { tenant: "t1", agent: "a1" } };
  const person = { session: "s1", principal: { tenant: "t1" } };
  test.each([
    ["another tenant (R-TN-3)", owner, { session: "s1", principal: { tenant: "t2", agent: "a1" } }],
    ["another agent", owner, { session: "s1", principal: { tenant: "t1", agent: "a2" } }],
    ["a user without the agent", owner, person],
    ["another session", owner, { session: "s2", principal: { tenant: "t1", agent: "a1" } }],
    ["a key of the person, which may do less", person, { session: "s1", principal: { tenant: "t1", key: "k1" } }],
    [
      "another key of the person",
      { session: "s1", principal: { tenant: "t1", key: "k1" } },
      { session: "s1", principal: { tenant: "t1", key: "k2" } },
    ],
    ["a key of the person for the agent", owner, { session: "s1", principal: { tenant: "t1", agent: "a1", key: "k1" } }],
  ])("%s gets the answer of an unknown id from every operation", async (_, owner, stranger) => {
    const { id } = await open(owner).start({ command: "sleep 60" });
    const foreign = open(stranger);
    expect(await foreign.list()).toEqual([]);
    for (const attempt of [foreign.read, foreign.stop, (one: string) => foreign.write(one, "x")]) {
      const answer = await attempt(id).catch((error: Error) => error);
      const unknown = await attempt("proc_unknown").catch((error: Error) => error);
      expect(answer).toMatchObject({ code: "process_not_found" });
      expect(String(answer).replace(id, "ID")).toBe(String(unknown).replace("proc_unknown", "ID"));
    }
    expect((await open(owner).list()).map(({ state }) => state)).toEqual(["running"]);
  });
});

describe("limits on processes", () => {
  test("parallel starts cannot exceed the number of a session, and a stop makes room", async () => {
    capability = make({ maxRunningPerSession: 2 });
    const exec = open();
    const starts = await Promise.allSettled([1, 2, 3].map(() => exec.start({ command: "sleep 60" })));
    expect(starts.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(starts[2]).toMatchObject({ reason: { code: "rate_limited" } });
    await open({ session: "other" }).start({ command: "sleep 60" });
    const [first] = await exec.list();
    await exec.stop(first!.id);
    expect((await exec.start({ command: "sleep 60" })).state).toBe("running");
  });

  test("a start that fails gives its place back", async () => {
    capability = make({ maxRunningPerSession: 1 });
    const exec = open();
    await expect(exec.start({ command: "true", workdir: "missing" })).rejects.toMatchObject({ code: "file_not_found" });
    expect((await exec.start({ command: "sleep 60" })).state).toBe("running");
  });

  test("the tenant has a limit over all sessions (R-TN-5)", async () => {
    capability = make({ maxRunningPerTenant: 1 });
    await open().start({ command: "sleep 60" });
    await expect(open({ session: "other" }).start({ command: "sleep 60" })).rejects.toThrow(/this tenant/);
    expect((await open({ principal: { tenant: "other" } }).start({ command: "sleep 60" })).state).toBe("running");
  });

  test("the oldest of the ended ones is forgotten", async () => {
    capability = make({ maxEndedPerSession: 1 });
    const exec = open();
    const first = await exec.start({ command: "true" });
    await exec.read(first.id, { waitMs: 10_000 });
    const second = await exec.start({ command: "true" });
    await exec.read(second.id, { waitMs: 10_000 });
    expect((await exec.list()).map(({ id }) => id)).toEqual([second.id]);
  });

  test("an ended one is forgotten after its time", async () => {
    const clock = createManualClock();
    capability = execCapability({ drivers: [host], workspaceOf: () => workspace, clock, limits: { keepEndedMs: 1000 } });
    const exec = open();
    const { id } = await exec.start({ command: "true" });
    await exec.stop(id);
    await clock.advance(999);
    expect(await exec.list()).toHaveLength(1);
    await clock.advance(1);
    await expect(exec.read(id)).rejects.toMatchObject({ code: "process_not_found" });
  });

  test("a process ends at its own time limit", async () => {
    const exec = open();
    const { id } = await exec.start({ command: "sleep 60", timeoutMs: 50 });
    expect(await exec.read(id, { waitMs: 10_000 })).toMatchObject({ info: { exit: { reason: "timeout" } } });
  });
});

describe("the end of sessions and of the server", () => {
  test("ending a session ends its processes and no others", async () => {
    const here = open({ session: "s1" });
    const there = open({ session: "s2" });
    await here.start({ command: "sleep 60" });
    await there.start({ command: "sleep 60" });
    await capability.endSession("tenant_test", "s1");
    expect(await here.list()).toEqual([]);
    expect(await there.list()).toHaveLength(1);
  });

  test("close ends all of them, and nothing starts after it (R-EX-10)", async () => {
    const exec = open();
    await exec.start({ command: `touch ${workspace}/started; sleep 60` });
    await capability.close();
    await expect(exec.start({ command: "true" })).rejects.toMatchObject({ code: "spawn_failed" });
    expect(await exec.list()).toEqual([]);
  });
});
