import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ApprovalOutcome, CallResult, PendingResult } from "@toolwright/engine";
import { createServerDatabase, createTestFolder, productDatabaseKinds } from "@toolwright/postgres/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { productArguments } from "../product-arguments.ts";

const main = new URL("../faults/wait-main.ts", import.meta.url).pathname;

describe.each(productDatabaseKinds)("five steps, of which the third asks; the process is killed while it waits, %s", (kind) => {
  let folder: string;
  let effects: string;
  let place: { readonly folder: string; readonly url?: string };
  const closing: (() => unknown)[] = [];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "toolwright-waits-"));
    closing.push(() => rmSync(folder, { recursive: true, force: true }));
    effects = join(folder, "effects");
    writeFileSync(effects, "");
    place = { folder: join(folder, "store") };
    if (kind === "server") {
      const database = await createServerDatabase();
      closing.push(() => database.drop());
      place = { ...place, url: database.url };
    } else await createTestFolder(join(place.folder, "data"), process.env.TOOLWRIGHT_TEST_TEMPLATES as string);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const lines = () => readFileSync(effects, "utf8").split("\n").filter(Boolean);
  const launch = (more: object) => {
    const child = spawn(process.execPath, [...productArguments, main], {
      env: { ...process.env, WAITS: JSON.stringify({ ...place, effects, ...more }) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    return { child, exited: once(child, "exit") };
  };
  const start = async (more: object) => {
    const { child, exited } = launch(more);
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    return { child, exited, said: JSON.parse(line) as unknown };
  };

  const waitAndDie = async (more: { approvalTtlMs?: number; program?: string } = {}) => {
    const { child, exited, said } = await start(more);
    child.kill("SIGKILL");
    await exited;
    expect(said).toMatchObject({ status: "pending", tool: more.program === undefined ? "five_steps" : "code_run" });
    expect(lines()).toEqual(["k/1", "k/2"]);
    const { callId, approval } = said as PendingResult;
    return { callId, approval: approval.id };
  };
  const goOn = async (how: object) => {
    const { exited, said } = await start({ goOn: how });
    expect(await exited).toEqual([0, null]);
    return said as CallResult & { readonly waitedMs: number };
  };

  const all = ["k/1", "k/2", "k/3", "k/4", "k/5"];
  const withoutThird = ["k/1", "k/2", "k/4", "k/5"];
  const answers: [string, ApprovalOutcome, string[]][] = [
    ["approved", { kind: "approve" }, all],
    ["denied", { kind: "deny" }, withoutThird],
  ];
  // The ways to go on are the engine's: the embedded database, whose processes take long to start, is asked for two of them.
  it.each(kind === "server" ? answers : answers.slice(0, 1))(
    "%s in another process: each step ran once",
    async (_what, outcome, expected) => {
      const waiting = await waitAndDie();
      const ended = await goOn({ ...waiting, outcome, by: "resume" });
      expect(ended).toMatchObject({ status: "done", callId: waiting.callId });
      expect(lines()).toEqual(expected);
    },
  );

  it("expired: that is how the step ended, and a worker goes on by itself", async () => {
    const waiting = await waitAndDie({ approvalTtlMs: 1 });
    expect(await goOn({ ...waiting, by: "worker" })).toMatchObject({ status: "done", callId: waiting.callId });
    expect(lines()).toEqual(withoutThird);
  });

  it.runIf(kind === "server")("answered where a worker looks: it goes on by itself", async () => {
    const waiting = await waitAndDie();
    const ended = await goOn({ ...waiting, outcome: { kind: "approve" }, by: "worker" });
    expect(ended).toMatchObject({ status: "done", callId: waiting.callId });
    expect(lines()).toEqual(all);
  });

  it("as a program: it is run again, and each of its calls ran once, also one in the middle of which the next process is killed", async () => {
    const program = `
      const keyOf = (step) => ({ key: "k/" + step });
      await tools.mark(keyOf(1));
      await tools.mark(keyOf(2));
      await tools.pay(keyOf(3));
      const stayed = await tools.stay(keyOf(4)).catch((error) => error.code);
      await tools.mark(keyOf(5));
      return [stayed, Date.now()];`;
    const waiting = await waitAndDie({ program });
    const { child, exited } = launch({ goOn: { ...waiting, outcome: { kind: "approve" }, by: "resume" } });
    await vi.waitFor(() => expect(lines()).toEqual(["k/1", "k/2", "k/3", "k/4"]), { timeout: 30_000, interval: 20 });
    child.kill("SIGKILL");
    await exited;
    const { exited: ends, said } = await start({ laterMs: 60_000, goOn: { ...waiting, by: "resume" } });
    expect(await ends).toEqual([0, null]);
    expect(said).toMatchObject({ status: "done", callId: waiting.callId });
    const [stayed, began] = JSON.parse((said as { output: { result: string } }).output.result);
    expect(stayed).toBe("call_lost");
    expect(began).toBeLessThan(Date.now());
    expect(lines()).toEqual(all);
  });
});
