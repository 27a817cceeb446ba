import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { ask, closeEngines, openStores, outputOf, ran, say, tool } from "./testing/program-workbench.ts";

afterAll(closeEngines);
beforeEach(() => {
  ran.length = 0;
});

describe("a program with a call that waits for a person", () => {
  const program = `
    const random = Math.random();
    const before = await tools.say({ value: "before " + random });
    const [asked, beside] = await Promise.all([tools.ask({ value: "please" }).catch((error) => ({ value: error.code })), tools.say({ value: "beside" })]);
    const after = await tools.say({ value: "after" });
    console.log(Date.now());
    return [before, asked, beside, after].map(({ value }) => value);`;

  it("waits, is run again by another process, and makes each call once", async () => {
    const place = openStores();
    const waiting = await place.start([say, ask]).scope.invokeNamed("code_run", { program });
    if (waiting.status !== "pending") throw new Error(JSON.stringify(waiting));
    expect(ran).toEqual([expect.stringMatching(/^say before 0\.\d+$/), "say beside"]);
    const began = place.clock.now();
    await place.clock.advance(60_000);
    const later = place.start([say, ask]).scope;
    expect((await later.approval(waiting.approval.id))?.record).toMatchObject({
      tool: "ask",
      place: { root: waiting.callId, step: "2", chain: ["code_run"] },
    });
    await later.answer(waiting.approval.id, { kind: "approve" });
    const result = await later.resume(waiting.approval.id);
    const { result: values, logs, calls } = outputOf(result);
    expect(result.callId).toBe(waiting.callId);
    expect(values).toEqual([ran[0], "ask please", "say beside", "say after"]);
    expect(logs).toEqual([`${began}`]);
    expect(calls).toEqual([
      { tool: "say", done: 3, notDone: 0 },
      { tool: "ask", done: 1, notDone: 0 },
    ]);
    expect(ran.slice(1)).toEqual(["say beside", "ask please", "say after"]);
  });

  it("goes on with an error where the person denies", async () => {
    const place = openStores();
    const { scope } = place.start([say, ask]);
    const waiting = await scope.invokeNamed("code_run", { program });
    if (waiting.status !== "pending") throw new Error(JSON.stringify(waiting));
    await scope.answer(waiting.approval.id, { kind: "deny", message: "No." });
    expect(outputOf(await scope.resume(waiting.approval.id)).result[1]).toBe("denied");
  });

  it("takes the same way although answers come in another order when they are recorded", async () => {
    const order: (() => void)[] = [];
    const slow = tool("slow", {
      run: ({ value }: { value: string }) =>
        new Promise((resolve) => {
          order.push(() => resolve({ value }));
          // The last that was asked answers first.
          if (order.length === 3) for (const answer of order.reverse()) answer();
        }),
    });
    const place = openStores();
    const { scope } = place.start([say, ask, slow]);
    const racing = `
      const came = [];
      await Promise.all(["a", "b", "c"].map(async (value) => { came.push((await tools.slow({ value })).value); await tools.say({ value }); }));
      const first = await Promise.race([tools.say({ value: "d" }), tools.say({ value: "e" })]);
      await tools.ask({ value: came.join("") + first.value });
      return came;`;
    const waiting = await scope.invokeNamed("code_run", { program: racing });
    if (waiting.status !== "pending") throw new Error(JSON.stringify(waiting));
    await scope.answer(waiting.approval.id, { kind: "approve" });
    expect(outputOf(await place.start([say, ask, slow]).scope.resume(waiting.approval.id)).result).toEqual(["a", "b", "c"]);
    expect(ran).toEqual(["say a", "say b", "say c", "say d", "say e", "ask abcsay d"]);
  });

  it("fails where it takes another way than before", async () => {
    const place = openStores();
    const byTools =
      'await tools[Object.keys(tools).find((name) => name !== "ask")]({ value: "a" }); await tools.ask({ value: "b" }); return "end";';
    const waiting = await place.start([say, ask]).scope.invokeNamed("code_run", { program: byTools });
    if (waiting.status !== "pending") throw new Error(JSON.stringify(waiting));
    const later = place.start([tool("first"), say, ask]).scope;
    await later.answer(waiting.approval.id, { kind: "approve" });
    expect(await later.resume(waiting.approval.id)).toMatchObject({
      status: "failed",
      error: { code: "step_diverged", message: expect.stringContaining('"1"') },
    });
    expect(ran).toEqual(["say a"]);
  });
});
