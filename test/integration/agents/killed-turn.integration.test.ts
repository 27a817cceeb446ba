import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TurnRecord } from "@toolwright/engine/ports";
import { readAll } from "@toolwright/engine/testing";
import { openStore } from "@toolwright/postgres";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterEach, describe, expect, it } from "vitest";
import { type ScriptedAnswer, serveScriptedModel } from "../../../examples/scripted-model.ts";
import type { Moment, TurnOrders } from "../../faults/turn-main.ts";
import { productArguments } from "../../product-arguments.ts";
import { beginAnswer } from "./agents-world.ts";

const main = new URL("../../faults/turn-main.ts", import.meta.url).pathname;

/** Beside while the model answers, and while the turn waits. */
const before: readonly Moment[] = ["once step 2 is stored", "in cut", "in again"];
const after: readonly Moment[] = ["before the end", "after the end"];

// On a server: how a turn goes on is the engine's. Processes of the embedded database are killed at random moments in test/e2e/faults.test.ts.
describe("a turn whose processes are killed one after the other (R-AU-5)", () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const openPlace = async (): Promise<{ readonly folder: string; readonly url: string }> => {
    const root = mkdtempSync(join(tmpdir(), "toolwright-turns-"));
    closing.push(() => rmSync(root, { recursive: true, force: true }));
    const { url, drop } = await createServerDatabase();
    closing.push(drop);
    return { folder: join(root, "data"), url };
  };

  const openRuns = async (script: Iterable<ScriptedAnswer>) => {
    const place = await openPlace();
    const effects = `${place.folder}-effects`;
    writeFileSync(effects, "");
    const model = await serveScriptedModel(script);
    closing.push(() => model.close());
    let kill = () => {};
    const run = async (more: Partial<TurnOrders> = {}) => {
      const orders: TurnOrders = { ...place, effects, model: model.url, ...more };
      const child = spawn(process.execPath, [...productArguments, main], {
        env: { ...process.env, TURNS: JSON.stringify(orders) },
        stdio: ["ignore", "pipe", "inherit"],
      });
      kill = () => void child.kill("SIGKILL");
      closing.push(kill);
      const exited = once(child, "exit");
      let said = "";
      child.stdout.on("data", (chunk: Buffer) => {
        said += chunk;
        if ((JSON.parse(said) as TurnRecord).state === "waiting") kill();
      });
      const [, signal] = await exited;
      return { isKilled: signal === "SIGKILL", turn: said === "" ? undefined : (JSON.parse(said) as TurnRecord) };
    };
    return { place, model, run, kill: () => kill(), effects: () => readFileSync(effects, "utf8").trim().split("\n") };
  };
  const call = (name: string) => [{ name, input: { key: "k" } }];
  const killed = { isKilled: true, turn: undefined };

  it("goes on with its sub-agent, which is asked for nothing twice", async () => {
    const task = { task: "Do it again, then pay." };
    const { run, model, effects } = await openRuns([
      [{ name: "task_spawn", input: task }],
      call("again"),
      call("pay"),
      "Paid.",
      "All done.",
    ]);
    expect(await run({ begins: true, diesAt: "in again" })).toEqual(killed);
    expect(await run()).toMatchObject({ isKilled: true, turn: { state: "waiting", steps: 1 } });
    expect(await run({ approves: true })).toMatchObject({ isKilled: false, turn: { state: "done", text: "All done.", steps: 2 } });
    expect(effects()).toEqual(["again k", "again k", "pay k"]);
    expect(model.requests).toHaveLength(5);
  });

  it("comes to its end all the same: no response is requested twice, no effect comes twice, and the log is whole", async () => {
    let kill = () => {};
    const { place, model, run, effects, ...runs } = await openRuns([
      call("mark"),
      (outgoing) => beginAnswer(outgoing, "Half", () => kill()),
      call("mark"),
      call("cut"),
      call("again"),
      call("pay"),
      "All done.",
    ]);
    kill = runs.kill;

    expect(await run({ begins: true })).toEqual(killed);
    for (const diesAt of before) expect(await run({ diesAt })).toEqual(killed);
    expect(await run()).toMatchObject({ isKilled: true, turn: { state: "waiting", steps: 5 } });
    for (const diesAt of after) expect(await run({ approves: true, diesAt })).toEqual(killed);
    expect(await run({ approves: true })).toMatchObject({ isKilled: false, turn: { state: "done", text: "All done.", steps: 6 } });

    // What was cut and is not idempotent does not run anew.
    expect(effects()).toEqual(["mark k", "mark k", "cut k", "again k", "again k", "pay k"]);
    // One more than there are responses: it broke off.
    expect(model.requests).toHaveLength(7);
    const store = await openStore({ ...place, process: "prc_test", holder: "a test" });
    closing.push(() => store.close());
    const [turn] = await store.turns.list("default", {});
    const messages = await store.turns.messages({ tenant: "default", conversation: turn?.conversation ?? "" });
    expect(messages.map(({ sequence }) => sequence)).toEqual(messages.map((_, index) => index + 1));
    expect(messages.map(({ message }) => (message as { role: string }).role)).toEqual([
      "user",
      ...Array.from({ length: 5 }, () => ["assistant", "tool"]).flat(),
      "assistant",
    ]);
    expect(JSON.stringify(messages)).not.toContain("Half");
    const reports = await readAll(store.log.verify({ tenant: "default" }));
    expect(reports.map(({ faults }) => faults)).toEqual(reports.map(() => []));
    const log = await store.events.read({ tenant: "default", session: turn?.conversation ?? "" });
    const endings = (tool: string) =>
      log.flatMap(({ event }) => (event.tool === tool && event.type !== "tool.started" ? [event.type] : []));
    expect(endings("cut")).toEqual(["tool.failed"]);
    expect(endings("mark")).toEqual(["tool.completed", "tool.completed"]);
  });
});
