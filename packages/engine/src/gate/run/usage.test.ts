import { describe, expect, it, vi } from "vitest";
import type { SessionEvent } from "../../contract/events.ts";
import type { UsageReport } from "../../contract/usage.ts";
import { createEngine } from "../../engine.ts";
import type { Engine } from "../../engine-types.ts";
import { createMemoryEventLog } from "../../memory/event-log.ts";
import { defaultPolicy } from "../../policy/document/policy-document.ts";
import { text } from "../../testing/probe-tool.ts";
import type { BaseContext } from "../../tool/context.ts";
import { defineTool } from "../../tool/define-tool.ts";
import { fail } from "../../tool/result.ts";

const ann = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "cli", source: "api" } as const;
const policy = [{ tier: "platform" as const, document: { ...defaultPolicy, autonomy: "full" as const } }];

type Run = (context: BaseContext) => unknown;

const toolOf = (name: string, run: Run, limits = {}) =>
  defineTool({
    name,
    description: "A tool for tests.",
    input: text,
    output: text,
    effects: {},
    limits,
    run: (_, context) => run(context) as { text: string },
  });

/** Runs tools, the first of them from outside, and gives its result with the events that end calls. */
async function call(tools: Readonly<Record<string, Run>>, { limits = {}, signal }: { limits?: object; signal?: AbortSignal } = {}) {
  const events = createMemoryEventLog();
  const logger = { log: vi.fn() };
  const defined = Object.entries(tools).map(([name, run]) => toolOf(name, run, limits));
  const engine: Engine = createEngine({ tools: defined, policy, events, logger });
  const scope = engine.scope(ann, { session: "s1" });
  const result = await scope.invokeNamed(defined[0]?.name ?? "", { text: "x" }, { ...(signal && { signal }), idempotencyKey: "k" });
  const again = await scope.invokeNamed(defined[0]?.name ?? "", { text: "x" }, { idempotencyKey: "k" });
  const stored = (await events.read({ tenant: "acme", session: "s1" })).map(({ event }) => event);
  const endings = stored.filter(({ type }) => ["tool.completed", "tool.failed", "tool.cancelled"].includes(type));
  return { result, again, endings, logger, engine };
}

const usageOf = ({ data }: SessionEvent) => data.usage;

describe("what a tool says it used", () => {
  it("is added up over its reports, exactly, and is in the result and in the event that ends the call, once", async () => {
    const report: UsageReport = { model: "small-1", inputTokens: 100, outputTokens: 20, cost: 0.1 };
    const run: Run = ({ usage }) => {
      for (const one of [
        report,
        { ...report, cost: 0.2, cachedInputTokens: 60, cacheWriteTokens: 30 },
        { model: "large-2", cost: 0.000_000_001, estimated: true },
      ])
        usage.add(one);
      return { text: "done" };
    };
    const { result, again, endings } = await call({ asks_models: run });
    const total = {
      models: ["small-1", "large-2"],
      inputTokens: 200,
      cachedInputTokens: 60,
      cacheWriteTokens: 30,
      outputTokens: 40,
      cost: 0.300_000_001,
      estimated: true,
    };
    expect(result).toMatchObject({ status: "done", usage: total });
    expect(again).toMatchObject({ replayed: true, usage: total });
    expect(endings.map(usageOf)).toEqual([total]);
  });

  it("is nothing for a tool that says nothing", async () => {
    const { result, endings } = await call({ quiet: () => ({ text: "done" }) });
    expect(result).not.toHaveProperty("usage");
    expect(endings.map(usageOf)).toEqual([undefined]);
  });

  it.each<[string, string, Run]>([
    ["fails", "failed", () => fail("no", "It does not work.")],
    [
      "throws",
      "failed",
      () => {
        throw new Error("It broke.");
      },
    ],
    ["runs too long", "failed", ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject))],
    ["returns what its schema refuses", "failed", () => ({ number: 1 })],
  ])("counts for a call that %s", async (_, status, run) => {
    const spend: Run = (context) => {
      context.usage.add({ outputTokens: 7 });
      return run(context);
    };
    const { result, endings } = await call({ spends: spend }, { limits: { timeoutMs: 20 } });
    expect(result).toMatchObject({ status, usage: { outputTokens: 7 } });
    expect(endings.map(usageOf)).toEqual([{ outputTokens: 7 }]);
  });

  it("counts for a call that is cancelled, with what the tool reports while it ends", async () => {
    const controller = new AbortController();
    const spend: Run = async ({ usage, signal }) => {
      usage.add({ inputTokens: 5 });
      queueMicrotask(() => controller.abort());
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      usage.add({ outputTokens: 3 });
      return { text: "late" };
    };
    const { endings } = await call({ spends: spend }, { signal: controller.signal });
    expect(endings.map(usageOf)).toEqual([{ inputTokens: 5, outputTokens: 3 }]);
  });

  it("is of the call that used it, and not of the one that called it", async () => {
    let engine: Engine | undefined;
    const inner: Run = ({ usage }) => {
      usage.add({ outputTokens: 100 });
      return { text: "in" };
    };
    const outer: Run = async ({ usage, session }) => {
      usage.add({ outputTokens: 1 });
      const child = engine?.scope(ann, { session }).child({ agent: "helper" });
      const { status } = (await child?.invokeNamed("inner", { text: "x" })) ?? {};
      return { text: String(status) };
    };
    const events = createMemoryEventLog();
    engine = createEngine({ tools: [toolOf("outer", outer), toolOf("inner", inner)], policy, events });
    const result = await engine.scope(ann, { session: "s1" }).invokeNamed("outer", { text: "x" });
    expect(result).toMatchObject({ output: { text: "done" }, usage: { outputTokens: 1 } });
    const ended = (await events.read({ tenant: "acme", session: "s1" })).filter(({ event }) => event.type === "tool.completed");
    expect(ended.map(({ event }) => [event.tool, usageOf(event)])).toEqual([
      ["inner", { outputTokens: 100 }],
      ["outer", { outputTokens: 1 }],
    ]);
  });

  it.each<[string, object | null, RegExp]>([
    ["fewer than none", { inputTokens: -1 }, /inputTokens is -1/],
    ["a part of a token", { outputTokens: 1.5 }, /outputTokens is 1.5/],
    ["fewer than none written to a cache", { cacheWriteTokens: -1 }, /cacheWriteTokens is -1/],
    ["no number", { outputTokens: Number.NaN }, /outputTokens is NaN/],
    ["more than can be counted", { inputTokens: Number.MAX_VALUE }, /inputTokens/],
    ["endless cost", { cost: Number.POSITIVE_INFINITY }, /cost is Infinity/],
    ["a gain", { cost: -0.01 }, /cost is -0.01/],
    ["a text", { inputTokens: "12" }, /inputTokens is 12/],
    ["half an estimate", { estimated: "partly" }, /estimated must be/],
    ["a nameless model", { model: "" }, /model must be/],
    ["nothing at all", null, /a report is an object/],
  ])("refuses %s, says so to the tool's author, and loses nothing that was counted", async (_, report, words) => {
    const spend: Run = ({ usage }) => {
      usage.add({ inputTokens: 5 });
      usage.add((report && { cachedInputTokens: 2, ...report }) as UsageReport);
      return { text: "never" };
    };
    const { result, endings } = await call({ spends: spend });
    expect(result).toMatchObject({ status: "failed", error: { code: "tool_error", message: expect.stringMatching(words) } });
    expect(endings.map(usageOf)).toEqual([{ inputTokens: 5 }]);
  });

  it("tells the operator of what comes when the call has ended", async () => {
    const later = Promise.withResolvers<BaseContext>();
    const { result, logger } = await call({
      leaks(context) {
        later.resolve(context);
        return { text: "done" };
      },
    });
    (await later.promise).usage.add({ inputTokens: 9 });
    expect(result).not.toHaveProperty("usage");
    expect(logger.log).toHaveBeenCalledWith("warn", expect.stringContaining("not counted"), expect.anything());
  });
});
