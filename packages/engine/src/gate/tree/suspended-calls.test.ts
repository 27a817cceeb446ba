import { describe, expect, it } from "vitest";
import type { Principal } from "../../contract/principal.ts";
import type { Tools } from "../../ports/tools.ts";
import { ann, ask, composite, eventsOf, fiveSteps, leaf, ran, setUp, step, textOf } from "../../testing/tree-workbench.ts";
import type { AnyTool } from "../../tool/define-tool.ts";

describe("a call inside that waits for a person", () => {
  it("makes its root wait; in another process each step runs once, and ended ones are answered from the record", async () => {
    const { place, scope } = setUp([step, ask, fiveSteps]);
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    expect(waiting).toMatchObject({ status: "pending", tool: "flow" });
    if (waiting.status !== "pending") return;
    expect(ran).toEqual(["step 1", "step 2"]);
    const other = place.start([step, ask, fiveSteps]).scope(ann, { session: "s2" });
    await other.answer(waiting.approval.id, { kind: "approve" });
    expect(await other.resume(waiting.approval.id)).toMatchObject({
      callId: waiting.callId,
      status: "done",
      output: { texts: ["1", "2", "3", "4", "5"] },
    });
    expect(ran).toEqual(["step 1", "step 2", "ask 3", "step 4", "step 5"]);
    const endings = (await eventsOf(place)).filter(({ type }) => type === "tool.completed");
    expect(endings.map(({ tool }) => tool)).toEqual(["step", "step", "ask", "step", "step", "flow"]);
  });

  it.each([
    ["denied", { kind: "deny", message: "No." } as const, "denied"],
    ["answered with words", { kind: "respond", message: "Later." } as const, "denied"],
  ])("is %s: that is how the step ended", async (_what, outcome, ending) => {
    const { place, scope } = setUp([step, ask, fiveSteps]);
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    if (waiting.status !== "pending") throw new Error(waiting.status);
    await scope.answer(waiting.approval.id, outcome);
    const engine = place.start([step, ask, fiveSteps]);
    expect(await engine.resumeDue()).toBe(1);
    expect(await scope.resume(waiting.approval.id)).toMatchObject({ replayed: true, output: { texts: ["1", "2", ending, "4", "5"] } });
    expect(ran).toEqual(["step 1", "step 2", "step 4", "step 5"]);
  });

  it("expires: that is how the step ended", async () => {
    const { place, engine, scope } = setUp([step, ask, fiveSteps], { approvalTtlMs: 60_000 });
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    if (waiting.status !== "pending") throw new Error(waiting.status);
    expect(await engine.resumeDue()).toBe(0);
    await place.clock.advance(60_001);
    expect(await engine.resumeDue()).toBe(1);
    expect(await scope.resume(waiting.approval.id)).toMatchObject({ output: { texts: ["1", "2", "approval_expired", "4", "5"] } });
  });

  it("is denied where files came with its root: they are not kept, and the handler would run again without them", async () => {
    const one = composite(async (tools) => {
      const asked = await tools.call("ask", { text: "a" });
      return { texts: [asked.status === "denied" ? asked.decision.reason : textOf(asked)] };
    });
    const { scope } = setUp([step, ask, one]);
    const attachments = [{ name: "bill.txt", mediaType: "text/plain", bytes: async () => new Uint8Array(1) }];
    expect(await scope.invokeNamed("flow", { text: "x" }, { attachments })).toMatchObject({
      status: "done",
      output: {
        texts: [expect.stringMatching(/^The files that came with the call flow are not kept while a call inside it waits for a person\./)],
      },
    });
    expect(await scope.approvals()).toEqual([]);
  });

  it("beside another that waits: two approvals, one continuation", async () => {
    const both = composite(async (tools) => {
      const results = await Promise.all([
        tools.call("ask", { text: "a" }),
        tools.call("step", { text: "b" }),
        tools.call("ask", { text: "c" }),
      ]);
      return { texts: results.map(textOf) };
    });
    const { place, engine, scope } = setUp([step, ask, both]);
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    if (waiting.status !== "pending") throw new Error(waiting.status);
    expect(ran).toEqual(["step b"]);
    const [first, second] = await scope.approvals();
    await scope.answer(first?.record.id ?? "", { kind: "approve" });
    expect(await engine.resumeDue()).toBe(0);
    expect(await scope.resume(first?.record.id ?? "")).toMatchObject({ status: "pending", approval: { id: second?.record.id } });
    await scope.answer(second?.record.id ?? "", { kind: "approve" });
    const ending = Promise.all([engine.resumeDue(), scope.resume(second?.record.id ?? ""), engine.resumeDue()]);
    await place.clock.advance(1_000);
    expect((await ending)[1]).toMatchObject({ status: "done", output: { texts: ["a", "b", "c"] } });
    expect(ran.toSorted()).toEqual(["ask a", "ask c", "step b"]);
  });

  it("two levels down makes all above it wait", async () => {
    const inner = composite(
      async (tools) => ({ texts: [textOf(await tools.call("step", { text: "in" })), textOf(await tools.call("ask", { text: "deep" }))] }),
      {
        name: "inner",
      },
    );
    const outer = composite(async (tools) => {
      await tools.call("step", { text: "out" });
      const result = await tools.call("inner", { text: "y" });
      return { texts: result.status === "done" ? (result.output as { texts: string[] }).texts : [textOf(result)] };
    });
    const { engine, scope } = setUp([step, ask, inner, outer]);
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    if (waiting.status !== "pending") throw new Error(waiting.status);
    expect((await scope.approval(waiting.approval.id))?.record.place).toMatchObject({
      depth: 2,
      chain: ["flow", "inner"],
      root: waiting.callId,
    });
    await scope.answer(waiting.approval.id, { kind: "approve" });
    await engine.resumeDue();
    expect(await scope.resume(waiting.approval.id)).toMatchObject({ output: { texts: ["in", "deep"] } });
    expect(ran).toEqual(["step out", "step in", "ask deep"]);
  });

  it("may ask again after it went on", async () => {
    const twice = composite(async (tools) => ({
      texts: [textOf(await tools.call("ask", { text: "a" })), textOf(await tools.call("ask", { text: "b" }))],
    }));
    const { engine, scope } = setUp([ask, twice]);
    const first = await scope.invokeNamed("flow", { text: "x" });
    if (first.status !== "pending") throw new Error(first.status);
    await scope.answer(first.approval.id, { kind: "approve" });
    const second = await scope.resume(first.approval.id);
    if (second.status !== "pending") throw new Error(second.status);
    expect(second.callId).toBe(first.callId);
    await scope.answer(second.approval.id, { kind: "approve" });
    await engine.resumeDue();
    expect(await scope.resume(first.approval.id)).toMatchObject({ status: "done", output: { texts: ["a", "b"] } });
    expect(ran).toEqual(["ask a", "ask b"]);
  });

  it("suspends its root although the handler swallows that and calls on", async () => {
    const codes: unknown[] = [];
    const stubborn = composite(async (tools) => {
      await tools.call("ask", { text: "a" }).catch((error: { code: string }) => codes.push(error.code));
      await tools.call("step", { text: "after" }).catch((error: { code: string }) => codes.push(error.code));
      return { texts: ["ended all the same"] };
    });
    const { scope } = setUp([step, ask, stubborn]);
    expect((await scope.invokeNamed("flow", { text: "x" })).status).toBe("pending");
    expect(codes).toEqual(["call_suspended", "call_suspended"]);
    expect(ran).toEqual([]);
  });

  it("is given the same time of its beginning when it runs again, and so is what is inside of it", async () => {
    const begun: number[] = [];
    const notes = (name: string, inside: string) =>
      composite(() => ({ texts: [] }), {
        name,
        async run(_input: unknown, { begunAt, tools }: { begunAt: number; tools: Tools }) {
          begun.push(begunAt);
          await tools.call(inside, { text: "a" });
          return { texts: [] };
        },
      });
    const tools = [ask, notes("inner", "ask"), notes("flow", "inner")];
    const { place, scope } = setUp(tools);
    const began = place.clock.now();
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    if (waiting.status !== "pending") throw new Error(waiting.status);
    await place.clock.advance(60_000);
    await scope.answer(waiting.approval.id, { kind: "approve" });
    expect(await place.start(tools).resumeDue()).toBe(1);
    expect(begun).toEqual([began, began, began, began]);
  });

  it("tells the handler before it is suspended", async () => {
    const told: string[] = [];
    const telling = composite(async (tools) => ({
      texts: [textOf(await tools.call("ask", { text: "a" }, { onPending: ({ id }) => told.push(id) }))],
    }));
    const { scope } = setUp([ask, telling]);
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    expect(waiting).toMatchObject({ status: "pending", approval: { id: told[0] } });
  });

  const changed: [string, AnyTool[], RegExp][] = [
    [
      "the root changed",
      [step, ask, composite(async () => ({ texts: [] }), { description: "Another one." })],
      /definition of the tool "flow" changed/,
    ],
    ["the root is gone", [step, ask], /the tool "flow" is gone/],
    [
      "the part changed",
      [step, leaf("ask", { approval: "always_ask", description: "Another one." }), fiveSteps],
      /definition of the tool "ask" changed/,
    ],
    ["the part is gone", [step, fiveSteps], /the tool "ask" is gone/],
  ];
  it.each(changed)("is void where the definition of %s, and says so", async (_what, tools, message) => {
    const { place, scope } = setUp([step, ask, fiveSteps]);
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    if (waiting.status !== "pending") throw new Error(waiting.status);
    await scope.answer(waiting.approval.id, { kind: "approve" });
    const other = place.start(tools);
    await other.resumeDue();
    expect(await scope.resume(waiting.approval.id)).toMatchObject({
      status: "failed",
      error: { code: "call_void", message: expect.stringMatching(message) },
    });
    expect(ran).toEqual(["step 1", "step 2"]);
  });

  it("goes on with other input: the step fails, and says which", async () => {
    let given = "a";
    const fickle = composite(async (tools) => {
      const texts = [textOf(await tools.call("step", { text: given }, { step: "first" }))];
      given = "b";
      return { texts: [...texts, textOf(await tools.call("ask", { text: "x" }))] };
    });
    const { scope } = setUp([step, ask, fickle]);
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    if (waiting.status !== "pending") throw new Error(waiting.status);
    await scope.answer(waiting.approval.id, { kind: "approve" });
    expect(await scope.resume(waiting.approval.id)).toMatchObject({ output: { texts: ["step_diverged", "x"] } });
  });

  it("is cancelled with its root: nothing goes on, and nobody is asked any more", async () => {
    const { place, engine, scope } = setUp([step, ask, fiveSteps]);
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    expect(await scope.cancel(waiting.callId, "Not needed.")).toMatchObject({ status: "cancelled", reason: "Not needed." });
    expect(await scope.approvals()).toEqual([]);
    expect(await engine.resumeDue()).toBe(0);
    const cancelled = (await eventsOf(place)).filter(({ type }) => type === "tool.cancelled");
    expect(cancelled.map(({ tool }) => tool)).toEqual(["ask", "flow"]);
    const bob = engine.scope({ ...ann, actor: { kind: "user", id: "bob" } });
    await expect(bob.cancel(waiting.callId)).rejects.toMatchObject({ code: "call_not_found" });
  });

  it("is taken up by a client that can only call again", async () => {
    const { scope } = setUp([step, ask, fiveSteps]);
    const again = () => scope.invokeNamed("flow", { text: "x" }, { takeUpWaiting: true });
    const waiting = await again();
    if (waiting.status !== "pending") throw new Error(waiting.status);
    expect(await again()).toMatchObject({ status: "pending", callId: waiting.callId, approval: { id: waiting.approval.id } });
    await scope.answer(waiting.approval.id, { kind: "approve" });
    expect(await again()).toMatchObject({ status: "done", callId: waiting.callId });
    expect(ran).toHaveLength(5);
  });

  it("ends under the idempotency key that its root came with", async () => {
    const { engine, scope } = setUp([step, ask, fiveSteps]);
    const call = () => scope.invokeNamed("flow", { text: "x" }, { idempotencyKey: "k" });
    const waiting = await call();
    if (waiting.status !== "pending") throw new Error(waiting.status);
    await scope.answer(waiting.approval.id, { kind: "approve" });
    await engine.resumeDue();
    expect(await call()).toMatchObject({ status: "done", callId: waiting.callId, replayed: true });
    expect(ran).toHaveLength(5);
  });

  it("is not run by a call of its own, although that one is the same", async () => {
    const { scope } = setUp([step, ask, fiveSteps]);
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    if (waiting.status !== "pending") throw new Error(waiting.status);
    await scope.answer(waiting.approval.id, { kind: "approve" });
    expect((await scope.invokeNamed("ask", { text: "3" }, { takeUpWaiting: true })).status).toBe("pending");
    expect(ran).toEqual(["step 1", "step 2"]);
  });

  it("whose process dies once the log has its start and before its tree does: it runs, once", async () => {
    const { place, scope } = setUp([step, ask, fiveSteps]);
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    if (waiting.status !== "pending") throw new Error(waiting.status);
    await scope.answer(waiting.approval.id, { kind: "approve" });
    // From the approved step on nothing reaches the store, as when the process is gone.
    let atStep = () => {};
    const gone = new Promise<void>((resolve) => {
      atStep = resolve;
    });
    const dying = {
      ...place.callTree,
      hold: () => new Promise<never>(() => {}),
      keep: () => {
        atStep();
        return new Promise<never>(() => {});
      },
    };
    void place.start([step, ask, fiveSteps], { callTree: dying }).resumeDue();
    await gone;
    expect(ran).toEqual(["step 1", "step 2"]);
    await place.clock.advance(30_001);
    expect(await place.start([step, ask, fiveSteps]).resumeDue()).toBe(1);
    expect(ran).toEqual(["step 1", "step 2", "ask 3", "step 4", "step 5"]);
    const ofAsk = (await eventsOf(place)).filter(({ tool }) => tool === "ask").map(({ type }) => type);
    expect(ofAsk.filter((type) => type === "tool.completed")).toHaveLength(1);
  });

  it("uses no timer while it waits, and its time limit counts running time", async () => {
    const slow = composite(
      async (tools) => {
        const texts = [textOf(await tools.call("ask", { text: "a" }))];
        return { texts };
      },
      { limits: { timeoutMs: 1_000 } },
    );
    const { place, scope } = setUp([ask, slow]);
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    if (waiting.status !== "pending") throw new Error(waiting.status);
    await place.clock.advance(3_600_000);
    await scope.answer(waiting.approval.id, { kind: "approve" });
    expect((await scope.resume(waiting.approval.id)).status).toBe("done");
  });
});

describe("a sub-agent inside a call", () => {
  const helped = composite(async (tools) => {
    const helper = tools.scope({ agent: "helper", assignment: { tools: ["ask"] } });
    return { texts: [textOf(await helper.call("step", { text: "a" })), textOf(await helper.call("ask", { text: "b" }))] };
  });
  const bot: Principal = {
    tenant: "acme",
    actor: { kind: "agent", id: "bot" },
    agent: "bot",
    permissions: [],
    door: "agent",
    onBehalfOf: "ann",
  };

  it("is answered by the person in whose conversation it acts, and by nobody else", async () => {
    const { engine } = setUp([step, ask, helped]);
    const scope = engine.scope(bot, { session: "s1" });
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    if (waiting.status !== "pending") throw new Error(waiting.status);
    const { id } = waiting.approval;
    const person = (name: string, tenant = "acme") => engine.scope({ ...ann, tenant, actor: { kind: "user", id: name } });
    for (const other of [person("bob"), person("ann", "globex")]) {
      expect(await other.approval(id)).toBeUndefined();
      await expect(other.answer(id, { kind: "approve" })).rejects.toMatchObject({ code: "approval_not_found" });
    }
    await expect(scope.answer(id, { kind: "approve" })).rejects.toThrow();
    expect((await person("ann").approvals()).map(({ record }) => record.id)).toEqual([id]);
    await person("ann").answer(id, { kind: "approve" });
    expect(await person("ann").resume(id)).toMatchObject({ status: "done", output: { texts: ["denied", "b"] } });
    expect(ran).toEqual(["ask b"]);
  });

  it("of another conversation is not that person's", async () => {
    const { engine } = setUp([ask]);
    const child = engine.scope({ ...bot, onBehalfOf: "bob" }).child({ agent: "helper" });
    const waiting = await child.invokeNamed("ask", { text: "x" });
    if (waiting.status !== "pending") throw new Error(waiting.status);
    await expect(engine.scope(ann).answer(waiting.approval.id, { kind: "approve" })).rejects.toMatchObject({ code: "approval_not_found" });
    await engine.scope({ ...ann, actor: { kind: "user", id: "bob" } }).answer(waiting.approval.id, { kind: "approve" });
  });
});

describe("a tool that keeps a record of its own", () => {
  it("is found by what it waited for also when it went on and ended before its caller asked", async () => {
    let approval = "";
    const waits = composite(async (tools) => {
      await tools.suspend([{ kind: "approval", id: approval }]);
      return { texts: ["over"] };
    });
    const { engine, scope } = setUp([ask, waits]);
    const asked = await scope.child({ agent: "helper" }).invokeNamed("ask", { text: "other" });
    if (asked.status !== "pending") throw new Error(asked.status);
    approval = asked.approval.id;
    const caller = engine.scope({ tenant: "acme", actor: { kind: "service", id: "client" }, permissions: [], door: "mcp" });
    expect(await caller.invokeNamed("flow", { text: "x" })).toMatchObject({ status: "pending", approval: { id: approval } });
    await scope.answer(approval, { kind: "approve" });
    expect(await engine.resumeDue()).toBe(1);
    expect(await caller.resume(approval)).toMatchObject({ status: "done", output: { texts: ["over"] }, replayed: true });
  });

  it("is suspended for what it names, and runs again once all of it is over", async () => {
    let runs = 0;
    let approval = "";
    const waits = composite(async (tools) => {
      runs += 1;
      await tools.suspend([
        { kind: "approval", id: approval },
        { kind: "delivery", id: "d1" },
      ]);
      return { texts: ["over"] };
    });
    const { engine, scope } = setUp([ask, waits]);
    const asked = await scope.invokeNamed("ask", { text: "own" });
    if (asked.status !== "pending") throw new Error(asked.status);
    approval = asked.approval.id;
    const waiting = await scope.invokeNamed("flow", { text: "x" });
    expect(waiting).toMatchObject({ status: "pending", approval: { id: approval } });
    await scope.answer(approval, { kind: "approve" });
    expect(await engine.resumeDue()).toBe(0);
    await engine.endWait("acme", { kind: "delivery", id: "d1" });
    expect(await engine.resumeDue()).toBe(1);
    expect(runs).toBe(2);
  });
});
