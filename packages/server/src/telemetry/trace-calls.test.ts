import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { createEngine, defineTool, fail, type Principal } from "@toolwright/engine";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { traceCalls } from "./trace-calls.ts";

const exporter = new InMemorySpanExporter();
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
});
afterAll(() => {
  trace.disable();
  context.disable();
});
beforeEach(() => exporter.reset());

const define = (name: string, run: () => unknown, effects = {}) =>
  defineTool({ name, description: `Does ${name}.`, input: z.object({}), output: z.object({}), effects, run: run as never });
const plain = define("plain", () => ({}));
const wrong = define("wrong", () => fail("no_luck", "It went wrong with hunter2."));
const change = define("change", () => ({}), { destructive: true });
const outer = defineTool({
  name: "outer",
  description: "Calls plain.",
  input: z.object({}),
  output: z.object({}),
  effects: { tools: ["plain"] },
  async run(_, { tools }) {
    await tools.call("plain", {}, { step: "one" });
    return {};
  },
});

const ann: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest", interactive: true };
const open = (content = false) =>
  createEngine({ tools: [plain, wrong, change, outer], policy: { autonomy: "full", ask: ["change"] }, telemetry: traceCalls({ content }) });
const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
const only = (): ReadableSpan => {
  expect(spans()).toHaveLength(1);
  return spans()[0] as ReadableSpan;
};

it("a call is a span execute_tool with what the conventions name, its decision, and nothing of its input", async () => {
  const scope = open().scope({ ...ann, agent: "helper" }, { session: "chat-1" });
  const result = await scope.invokeNamed("plain", {});
  const { name, attributes, status } = only();
  expect(name).toBe("execute_tool plain");
  expect(attributes).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "plain",
    "gen_ai.tool.type": "function",
    "gen_ai.tool.description": "Does plain.",
    "gen_ai.tool.call.id": result.callId,
    "gen_ai.conversation.id": "chat-1",
    "gen_ai.agent.id": "helper",
    "toolwright.door": "rest",
    "toolwright.tenant": "acme",
    "toolwright.status": "done",
    "toolwright.decision.effect": "allow",
  });
  expect(Object.keys(attributes).filter((key) => /arguments|result/.test(key))).toEqual([]);
  expect(status.code).toBe(SpanStatusCode.UNSET);
});

it("a failure is an error with its code, and its words only where content is asked for", async () => {
  await open().scope(ann).invokeNamed("wrong", {});
  expect(only()).toMatchObject({ attributes: { "error.type": "tool_failed" }, status: { code: SpanStatusCode.ERROR } });
  expect(JSON.stringify([only().attributes, only().status])).not.toContain("hunter2");
  exporter.reset();
  await open(true).scope(ann).invokeNamed("wrong", {});
  expect(only()).toMatchObject({
    attributes: { "gen_ai.tool.call.arguments": "{}" },
    status: { message: expect.stringContaining("hunter2") },
  });
});

it("a name that no tool can have does not become the name of a span", async () => {
  await open().scope(ann).invokeNamed("No such tool!", {});
  expect(only()).toMatchObject({ name: "execute_tool unknown", attributes: { "error.type": "tool_not_found" } });
});

it("a call inside another one is a child of it", async () => {
  await open().scope(ann).invokeNamed("outer", {});
  const [inner, root] = spans();
  expect([inner?.name, root?.name]).toEqual(["execute_tool plain", "execute_tool outer"]);
  expect(inner?.parentSpanContext?.spanId).toBe(root?.spanContext().spanId);
});

const remote = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "vendor=1" };

it("the caller's span is the parent, and the span that is active here is linked", async () => {
  const tracer = trace.getTracer("test");
  await tracer.startActiveSpan("POST /mcp", async (http) => {
    await open()
      .scope(ann)
      .invokeNamed("plain", {}, { trace: { context: remote, attributes: { "mcp.method.name": "tools/call" } } });
    http.end();
  });
  const [call, http] = spans();
  expect(call?.spanContext().traceId).toBe("0af7651916cd43dd8448eb211c80319c");
  expect(call?.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
  expect(call?.links.map((link) => link.context.spanId)).toEqual([http?.spanContext().spanId]);
  expect(call?.attributes["mcp.method.name"]).toBe("tools/call");
});

it.each([
  "",
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
  "00-00000000000000000000000000000000-b7ad6b7169203331-01",
  "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
])("a broken traceparent is as none: %j", async (traceparent) => {
  await open()
    .scope(ann)
    .invokeNamed("plain", {}, { trace: { context: { traceparent } } });
  expect(only().parentSpanContext).toBeUndefined();
});

it("a call that goes on after an answer links to the span that asked, also from the record alone", async () => {
  const scope = open().scope({ ...ann, permissions: ["approvals:answer"] });
  const pending = await scope.invokeNamed("change", {});
  if (pending.status !== "pending") throw new Error(pending.status);
  await scope.answer(pending.approval.id, { kind: "approve" });
  expect(await scope.resume(pending.approval.id)).toMatchObject({ status: "done" });
  const [asked, ran] = spans();
  expect(asked?.attributes).toMatchObject({ "toolwright.status": "pending", "toolwright.approval.id": pending.approval.id });
  expect(ran?.links.map((link) => link.context.spanId)).toEqual([asked?.spanContext().spanId]);
  expect((await scope.approval(pending.approval.id))?.record.trace?.traceparent).toContain(asked?.spanContext().spanId);
});

it("looking whether calls work leaves no span", async () => {
  expect(await open().checkCalls()).toEqual({ ok: true });
  expect(spans()).toEqual([]);
});
