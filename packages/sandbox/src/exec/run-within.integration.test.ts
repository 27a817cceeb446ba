import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exec } from "@toolwright/engine";
import type { CommandSpec, ProcessOutput } from "@toolwright/engine/ports";
import { createManualClock, type ManualClock } from "@toolwright/engine/testing";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHostDriver } from "../drivers/index.ts";
import { createCallSite } from "../testing/call-site.ts";
import { type ExecCapability, type ExecLimits, execCapability } from "./index.ts";

const host = createHostDriver();
let workspace: string;
let capability: ExecCapability;
let clock: ManualClock;

const make = (limits: Partial<ExecLimits> = {}) => execCapability({ drivers: [host], workspaceOf: () => workspace, limits, clock });
const open = (changes: Parameters<typeof createCallSite>[0] = {}) => {
  const site = createCallSite({ sandbox: { timeoutMs: 60_000 }, ...changes });
  return { site, exec: capability.open("run", site) as Exec };
};
const patience = { ms: 45_000, renewable: false };
/** Waits for a command to say `ready` on its output, lets the patience end, and gives what the call gives. */
async function outlast({ site, exec }: ReturnType<typeof open>, spec: CommandSpec): Promise<ProcessOutput> {
  const running = exec.runWithin(spec, patience);
  while (!site.told.some(({ text }) => text.includes("ready"))) await new Promise((resolve) => setTimeout(resolve, 5));
  await clock.advance(45_000);
  const ran = await running;
  if (!("info" in ran)) throw new Error(`It was not handed over: ${JSON.stringify(ran)}`);
  return ran;
}
/** Ends as soon as the file `go` is there. */
const untilGo = "echo ready; until [ -e go ]; do sleep 0.02; done; echo went on";

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "toolwright-within-"));
  clock = createManualClock(Date.now());
  capability = make();
});
afterEach(async () => {
  await capability.close();
  rmSync(workspace, { recursive: true, force: true });
});
afterAll(() => host.close());

describe("a command for a caller with patience", () => {
  test("that ends in time is a result like any other", async () => {
    const { exec } = open();
    expect(await exec.runWithin({ command: "echo out; exit 3" }, patience)).toMatchObject({
      exitCode: 3,
      reason: "exited",
      stdout: "out\n",
    });
  });

  test("goes on in the background with all of its output, and outlives its call", async () => {
    const over = new AbortController();
    const opened = open({ signal: over.signal });
    const { text, cursor, missed, info } = await outlast(opened, { command: untilGo });
    expect({ text, missed, state: info.state }).toEqual({ text: "ready\n", missed: 0, state: "running" });
    over.abort();
    const { exec } = open();
    expect((await exec.list()).map(({ id }) => id)).toEqual([info.id]);
    writeFileSync(join(workspace, "go"), "");
    let read = await exec.read(info.id, { cursor, waitMs: 10_000 });
    while (read.info.state === "running") read = await exec.read(info.id, { cursor, waitMs: 10_000 });
    expect((await exec.read(info.id, { cursor })).text).toBe("went on\n");
    expect(read.info.exit).toMatchObject({ exitCode: 0, reason: "exited" });
  });

  test("is told live no more after that, and takes no input", async () => {
    const opened = open();
    const { info } = await outlast(opened, { command: untilGo });
    const told = opened.site.told.length;
    await expect(opened.exec.write(info.id, "x")).rejects.toMatchObject({ code: "process_not_found" });
    writeFileSync(join(workspace, "go"), "");
    await opened.exec.stop(info.id);
    expect(opened.site.told).toHaveLength(told);
  });

  test("is killed with its call while that still waits", async () => {
    const over = new AbortController();
    const opened = open({ signal: over.signal });
    const running = opened.exec.runWithin({ command: `${untilGo}; touch late` }, patience);
    while (opened.site.told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    over.abort();
    expect(await running).toMatchObject({ reason: "cancelled" });
    await clock.advance(45_000);
    expect(await opened.exec.list()).toEqual([]);
    expect(existsSync(join(workspace, "late"))).toBe(false);
  });

  test("has the policy's time where nothing more may run in the background", async () => {
    await capability.close();
    capability = make({ maxRunningPerSession: 0 });
    const { exec, site } = open();
    const running = exec.runWithin({ command: untilGo, timeoutMs: 600_000 }, patience);
    while (site.told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await clock.advance(45_000);
    await clock.advance(15_000);
    expect(await running).toMatchObject({ reason: "timeout", stdout: "ready\n", anomalies: [{ kind: "time_limit" }] });
  });
});

describe("a timeout that is cut", () => {
  test("is said of a command that is waited for, also when it ended in time", async () => {
    const { exec, site } = open();
    const result = await exec.run({ command: "true", timeoutMs: 600_000 });
    expect(result.anomalies).toEqual([{ kind: "time_limit", message: expect.stringMatching(/600 s was cut to 60 s/) }]);
    expect(site.anomalies).toEqual(result.anomalies);
  });

  test("is said of one in the background, and not where it was not cut", async () => {
    await capability.close();
    capability = make({ backgroundTimeoutMs: 5_000 });
    const { exec, site } = open();
    await exec.start({ command: "true", timeoutMs: 5_000 });
    expect(site.anomalies).toEqual([]);
    await exec.start({ command: "true", timeoutMs: 6_000 });
    expect(site.anomalies).toEqual([{ kind: "time_limit", message: expect.stringMatching(/6 s was cut to 5 s/) }]);
  });
});
