import { expect, test } from "vitest";
import { z } from "zod";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import { createMemoryTurns } from "../memory/turns.ts";
import { silentLogger } from "../ports/logger.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { defineTool } from "../tool/define-tool.ts";

const pay = defineTool({
  name: "pay",
  description: "Pays an amount.",
  input: z.object({ euros: z.int() }),
  output: z.object({ euros: z.int() }),
  run: (input) => input,
});
const ann: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest", interactive: true };

async function ask() {
  const clock = createManualClock();
  const turns = createMemoryTurns();
  const engine = createEngine({
    ...{ tools: [pay], policy: { autonomy: "full", ask: ["pay"] }, logger: silentLogger, clock },
    administration: { turns },
  });
  const pending = await engine.scope(ann, { session: "s1" }).invokeNamed("pay", { euros: 4 });
  if (pending.status !== "pending") throw new Error(JSON.stringify(pending));
  const { id } = pending.approval;
  /** A turn of ann that waits for the approval. */
  const wait = async () => {
    const turn = { id: "trn_1", tenant: "acme", conversation: "s1", agent: "coder", owner: "ann", principal: ann, callId: "call_1" };
    await turns.begin({ ...turn, createdAt: clock.now() }, { role: "user" }, { holder: "p1", until: clock.now() + 1_000 });
    await turns.wait({ tenant: "acme", id: "trn_1", holder: "p1" }, { waitsFor: [id], results: {}, usage: {} });
  };
  return { engine, clock, turns, id, wait };
}

const turn = { id: "trn_1", agent: "coder" };
const deny = { kind: "deny", message: "Not now." } as const;

test("an approval says how its call runs, and what remembering it would save only where that is asked", async () => {
  const { engine, id, wait } = await ask();
  expect(await engine.operate(ann, "approvals.get", { id })).toMatchObject({ runs: "caller" });
  expect(await engine.operate(ann, "approvals.get", { id })).not.toHaveProperty("offer");
  expect(await engine.operate(ann, "approvals.get", { id, offer: true })).toMatchObject({ offer: { choices: expect.any(Array) } });
  await wait();
  expect(await engine.operate(ann, "approvals.get", { id })).toMatchObject({ runs: "turn", turn });
  const denied = await engine.operate(ann, "approvals.answer", { id, outcome: deny });
  expect(denied).toMatchObject({ turn });
  expect(denied).not.toHaveProperty("runs");
  expect(await engine.operate(ann, "approvals.get", { id, offer: true })).not.toHaveProperty("offer");
  const other = engine.operate(ann, "approvals.answer", { id, outcome: { kind: "approve" } });
  await expect(other).rejects.toMatchObject({
    code: "approval_already_answered",
    message: expect.stringMatching(/was answered before: denied by user ann at \S+: "Not now\."$/),
  });
});

test("a turn that nobody takes up after the answer is stranded, one that somebody takes up is not, and nobody waits who need not", async () => {
  for (const isTaken of [false, true]) {
    const { engine, clock, turns, id, wait } = await ask();
    await wait();
    const answering = engine.operate(ann, "approvals.answer", { id, outcome: deny, awaitTurn: true });
    await clock.advance(1_000);
    if (isTaken) await turns.take({ tenant: "acme", id: "trn_1" }, { holder: "p2", until: clock.now() + 9_000 }, clock.now());
    else await clock.advance(3_000);
    expect((await answering).strandedTurn).toEqual(isTaken ? undefined : turn);
  }
  const { engine, id, wait } = await ask();
  await wait();
  expect(await engine.operate(ann, "approvals.answer", { id, outcome: deny })).not.toHaveProperty("strandedTurn");
});
