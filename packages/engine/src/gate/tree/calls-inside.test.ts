import { describe, expect, it } from "vitest";
import { ann, ask, composite, eventsOf, leaf, ran, setUp, step, textOf } from "../../testing/tree-workbench.ts";
import type { AnyTool } from "../../tool/define-tool.ts";

describe("calls inside a call", () => {
  it("run through the gate as the same caller, and say where they stand", async () => {
    const { scope, place } = setUp([step, composite(async (tools) => ({ texts: [textOf(await tools.call("step", { text: "a" }))] }))]);
    const result = await scope.invokeNamed("flow", { text: "x" });
    expect(result).toMatchObject({ status: "done", output: { texts: ["a"] } });
    const events = await eventsOf(place);
    const inner = events.filter(({ tool }) => tool === "step");
    expect(inner.map(({ type }) => type)).toEqual(["tool.started", "tool.completed"]);
    expect(inner[0]).toMatchObject({
      actor: { id: "ann" },
      data: { place: { root: result.callId, parent: result.callId, step: "step", depth: 1, chain: ["flow"] } },
    });
  });

  const bounds: [string, AnyTool[], string][] = [
    [
      "a tool that the effect does not name",
      [leaf("other", { group: "elsewhere" }), composite(async (tools) => ({ texts: [textOf(await tools.call("other", { text: "a" }))] }))],
      "effect_refused",
    ],
    [
      "a tool that is not there",
      [composite(async (tools) => ({ texts: [textOf(await tools.call("gone", { text: "a" }))] }), { tools: ["gone"] })],
      "tool_not_found",
    ],
    ["itself", [composite(async (tools) => ({ texts: [textOf(await tools.call("flow", { text: "a" }))] }))], "call_cycle"],
  ];
  it.each(bounds)("a call of %s fails, and the handler goes on", async (_what, tools, code) => {
    const { scope } = setUp(tools);
    expect(await scope.invokeNamed("flow", { text: "x" })).toMatchObject({ status: "done", output: { texts: [code] } });
  });

  it("go eight levels deep, and no deeper", async () => {
    const levels = Array.from({ length: 10 }, (_, level) =>
      composite(
        async (tools) => {
          const inner = await tools.call(`level_${level + 1}`, { text: "a" });
          return { texts: inner.status === "done" ? (inner.output as { texts: string[] }).texts : [`${level} ${textOf(inner)}`] };
        },
        { name: `level_${level}` },
      ),
    );
    const { scope } = setUp(levels);
    expect(await scope.invokeNamed("level_0", { text: "x" })).toMatchObject({ status: "done", output: { texts: ["8 call_depth"] } });
  });

  it("are two hundred at most in a tree", async () => {
    const { scope } = setUp([
      step,
      composite(async (tools) => {
        let last = "";
        for (let index = 0; index < 201; index += 1) last = textOf(await tools.call("step", { text: `${index}` }));
        return { texts: [last] };
      }),
    ]);
    expect(await scope.invokeNamed("flow", { text: "x" })).toMatchObject({ output: { texts: ["call_tree_full"] } });
    expect(ran).toHaveLength(200);
  });

  it("are of tools that the caller may use and the effect names, which a handler can ask for by name", async () => {
    const hidden = leaf("hidden", { permission: "other.tenant.run" });
    const other = leaf("other", { group: "elsewhere" });
    const named = composite(async (tools) => ({ texts: tools.names() }));
    const { scope } = setUp([step, ask, hidden, other, named]);
    expect(await scope.invokeNamed("flow", { text: "x" })).toMatchObject({ output: { texts: ["ask", "step"] } });
  });

  it("are found by the words of their definitions, with their schemas, among those", async () => {
    const hidden = leaf("pay_secretly", { permission: "other.tenant.run" });
    const pay = leaf("pay", { description: "Pays an invoice." });
    const payBack = leaf("give_back", { description: "Pays back what was paid for an invoice that is wrong." });
    const found = composite(
      async (tools) => ({
        texts: [
          ...tools.find("pay invoices", 5).map(({ name, input }) => `${name} ${Object.keys(input.properties ?? {})}`),
          `${tools.find("pay invoices", 1).length} ${tools.find("", 9).length}`,
        ],
      }),
      { tools: ["*"] },
    );
    const { scope } = setUp([step, pay, payBack, hidden, found]);
    expect(await scope.invokeNamed("flow", { text: "x" })).toMatchObject({ output: { texts: ["pay text", "give_back text", "1 3"] } });
  });

  it("of any tool answer alike for one that is hidden and one that is not there", async () => {
    const hidden = leaf("hidden", { permission: "other.tenant.run" });
    const any = composite(
      async (tools) => ({ texts: [textOf(await tools.call("hidden", { text: "a" })), textOf(await tools.call("gone", { text: "a" }))] }),
      { tools: ["*"] },
    );
    const { scope } = setUp([hidden, any]);
    expect(await scope.invokeNamed("flow", { text: "x" })).toMatchObject({ output: { texts: ["tool_not_found", "tool_not_found"] } });
  });

  it("refuse two calls of one step in one run", async () => {
    const { scope } = setUp([
      step,
      composite(async (tools) => {
        await tools.call("step", { text: "a" }, { step: "one" });
        await tools.call("step", { text: "a" }, { step: "one" });
        return { texts: [] };
      }),
    ]);
    expect(await scope.invokeNamed("flow", { text: "x" })).toMatchObject({
      status: "failed",
      error: { code: "step_diverged", message: expect.stringContaining('"one" for two calls') },
    });
  });

  it("are awaited, also when the handler does not", async () => {
    const slow = leaf("slow", {
      async run({ text }: { text: string }) {
        await new Promise((resolve) => setImmediate(resolve));
        ran.push(`slow ${text}`);
        return { text };
      },
    });
    const { scope } = setUp([
      slow,
      composite((tools) => {
        void tools.call("slow", { text: "a" });
        return { texts: [] };
      }),
    ]);
    expect((await scope.invokeNamed("flow", { text: "x" })).status).toBe("done");
    expect(ran).toEqual(["slow a"]);
  });

  it("may not answer approvals, whatever their root may", async () => {
    const admin = leaf("admin", { permission: "approvals:answer" });
    const tools = [admin, composite(async (tools) => ({ texts: [textOf(await tools.call("admin", { text: "a" }))] }))];
    const { engine } = setUp(tools);
    const scope = engine.scope({ ...ann, permissions: ["approvals:answer"] }, { session: "s1" });
    expect(await scope.invokeNamed("flow", { text: "x" })).toMatchObject({ output: { texts: ["tool_not_found"] } });
  });

  it("are not covered by a yes that was remembered for the tool alone", async () => {
    const flow = composite(async (tools) => ({ texts: [textOf(await tools.call("step", { text: "a" }))] }));
    const { engine } = setUp([step, flow], { policy: { version: 1, autonomy: "full", tools: { ask: ["step"] } } });
    const agent = engine.scope({ ...ann, actor: { kind: "agent", id: "bot" }, onBehalfOf: "ann", interactive: false }, { session: "s1" });
    const asked = await agent.invokeNamed("step", { text: "a" });
    if (asked.status !== "pending") throw new Error(asked.status);
    await engine.scope(ann, { session: "s1" }).answer(asked.approval.id, { kind: "approve", remember: { scope: "session" } });
    expect(await agent.invokeNamed("step", { text: "a" })).toMatchObject({ status: "done" });
    expect(await agent.invokeNamed("flow", { text: "x" })).toMatchObject({ status: "pending", tool: "flow" });
  });

  it("make a tool what the tools that it may call are", () => {
    const reads = leaf("reads", { effects: {} });
    const tools = [
      reads,
      step,
      composite(async () => ({ texts: [] }), { name: "reading", tools: ["reads"] }),
      composite(async () => ({ texts: [] }), { name: "writing", tools: ["reading", "step"] }),
      composite(async () => ({ texts: [] }), { name: "unsure", tools: ["gone"] }),
      composite(async () => ({ texts: [] }), { name: "waiting", tools: [] }),
    ];
    const { scope } = setUp(tools);
    expect(scope.find("reading")?.hints).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(scope.find("writing")?.hints).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(scope.find("unsure")?.hints).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(scope.find("waiting")?.hints).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  });

  it.each([
    ["changes something itself", { tools: ["step"], files: "write" }, /idempotent: true/],
    ["names what is no name", { tools: ["Bad Name"] }, /List names of tools/],
  ])("a definition that %s is refused", (_what, effects, message) => {
    expect(() => setUp([composite(async () => ({ texts: [] }), { effects } as never)])).toThrow(message);
  });
});
