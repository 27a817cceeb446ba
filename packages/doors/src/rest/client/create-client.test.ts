import { ToolwrightError, type TypesOf } from "@toolwright/engine";
import type { Clock, RunStatus } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { describe, expect, expectTypeOf, it } from "vitest";
import { add, ann, gatedTool, keep, type measure, openRest, origin, type pay, writer } from "../../../test/rest-client.ts";
import { createClient } from "./create-client.ts";
import { RequestError } from "./request-error.ts";

type Tools = TypesOf<readonly [typeof add, typeof pay, typeof measure, typeof keep, typeof writer, ReturnType<typeof gatedTool>["tool"]]>;

/** A client of a door that is asked without sockets. `through` stands between them. */
function open(
  options: Parameters<typeof openRest>[0] = {},
  { key = "ann", through = (ask) => ask }: { readonly key?: string; readonly through?: (ask: typeof fetch) => typeof fetch } = {},
) {
  const opened = openRest(options);
  const ask: typeof fetch = async (url, init) => {
    const request = new Request(url, init);
    request.headers.set("host", new URL(request.url).host);
    const response = await opened.door.fetch(request);
    // As the platform's: the signal ends what is still read.
    return new Response(response.body?.pipeThrough(new TransformStream(), { signal: request.signal }) ?? null, response);
  };
  const waits: number[] = [];
  const clock: Pick<Clock, "after"> = {
    after(ms, run) {
      waits.push(ms);
      queueMicrotask(run);
      return () => {};
    },
  };
  return { ...opened, waits, client: createClient<Tools>({ url: `${origin}/`, key, fetch: through(ask), clock }) };
}

const refusalOf = async (asked: Promise<unknown>): Promise<RequestError> => {
  const error = await asked.then(
    () => undefined,
    (rejected: unknown) => rejected,
  );
  if (error instanceof RequestError) return error;
  throw new Error(`It was not refused, but ${String(error)}.`);
};

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("a client of the REST door", () => {
  it("makes calls with the types of the tools", async () => {
    const { client } = open();
    const result = await client.call("add", { a: 1, b: 2 });
    if (result.status !== "done") throw new Error("It waits.");
    expectTypeOf(result.output).toEqualTypeOf<{ sum: number }>();
    expect(result.output).toEqual({ sum: 3 });
    // @ts-expect-error: the tool takes numbers.
    expect((await refusalOf(client.call("add", { a: "one", b: 2 }))).issues).toMatchObject([{ pointer: "/a" }]);
  });

  it("does operations with their types, whose members go where the route has them", async () => {
    const { client } = open();
    await client.call("add", { a: 1, b: 2 });
    const { items } = await client.operate("runs.list", { tool: "add", limit: 1 });
    expectTypeOf(items[0]!.status).toEqualTypeOf<RunStatus>();
    expect(items).toMatchObject([{ tool: "add", status: "success" }]);
    expect((await client.operate("runs.get", { id: items[0]!.id })).tool).toBe("add");
  });

  it("has a call approved and run", async () => {
    const { client } = open();
    const pending = await client.call("pay", { to: "bob" }, { session: "s1" });
    if (pending.status !== "pending") throw new Error("It does not wait.");
    await client.operate("approvals.answer", { id: pending.approval.id, outcome: { kind: "approve" } });
    expect(await client.resume(pending.approval.id, { session: "s1" })).toMatchObject({ status: "done", output: { text: "Paid bob." } });
    expect((await refusalOf(client.resume(pending.approval.id))).code).toBe("approval_used");
  });

  it("rejects with the code, the call and how it ended, as an error of the engine's own class", async () => {
    const { client } = open();
    const error = await refusalOf(client.call("add", { a: 1 } as never));
    expect(ToolwrightError.is(error)).toBe(true);
    expect(error).toMatchObject({
      code: "invalid_input",
      status: 422,
      callId: expect.stringMatching(/^call_/),
      result: { status: "failed" },
    });
    expect(await refusalOf(open({}, { key: "nobody" }).client.call("add", { a: 1, b: 2 }))).toMatchObject({
      code: "unauthenticated",
      status: 401,
    });
  });

  it.each([
    { name: "nobody answers", answer: () => Promise.reject(new TypeError("fetch failed")), status: undefined },
    { name: "something else answers", answer: () => Promise.resolve(new Response("<html>", { status: 502 })), status: 502 },
    { name: "a page answers", answer: () => Promise.resolve(new Response("<html>")), status: 200 },
  ])("says so where $name", async ({ answer, status }) => {
    const error = await refusalOf(open({}, { through: () => answer }).client.operate("tools.list", {}));
    expect(error).toMatchObject({ code: "connection_failed", status });
  });

  it("tells when to come again where a limit refuses", async () => {
    const { client } = open({ engine: { tools: [add], policy: { version: 1, autonomy: "full", rates: { add: "1/h" } } } });
    await client.call("add", { a: 1, b: 2 });
    expect(await refusalOf(client.call("add", { a: 1, b: 2 }))).toMatchObject({ code: "rate_limited", retryAfterMs: expect.any(Number) });
  });

  it("calls once for one key, and sends attachments", async () => {
    const { client } = open();
    const [first, second] = [
      await client.call("add", { a: 1, b: 2 }, { idempotencyKey: "k" }),
      await client.call("add", { a: 1, b: 2 }, { idempotencyKey: "k" }),
    ];
    expect(second).toMatchObject({ callId: first.callId, replayed: true });
    const attachments = [new File(["a,b\n"], "report.csv", { type: "text/csv" })];
    const measured = await client.call("measure", {}, { attachments });
    expect(measured).toMatchObject({ output: { files: [{ name: "report.csv", mediaType: "text/csv", size: 4 }] } });
  });

  it("lets a call run on, and tells its run", async () => {
    const { tool, letGo } = gatedTool();
    const { client } = open({ engine: { tools: [tool], policy: "full" } });
    const running = await client.call("wait", {}, { wait: 0 });
    expect(running).toMatchObject({ status: "running", run: expect.stringMatching(/^\/api\/runs\/call_/) });
    letGo();
  });

  it("reads a part of what a call kept", async () => {
    const { client } = open({ engine: { tools: [keep] } });
    const kept = await client.call("keep", { text: "0123456789" });
    if (kept.status !== "done") throw new Error("It waits.");
    const response = await client.artifact(kept.output.id, { range: { offset: 2, length: 3 } });
    expect([response.status, await response.text()]).toEqual([206, "234"]);
  });

  it("tells of a call while it runs, and how it ended", async () => {
    const { tool, letGo, begun } = gatedTool();
    const { client } = open({ engine: { tools: [tool, add], policy: "full" } });
    const reading = collect(client.stream("wait", {}));
    await begun;
    letGo();
    expect(await reading).toMatchObject([
      { event: "started", data: { callId: expect.stringMatching(/^call_/) } },
      { event: "progress", data: { done: 1, total: 2, message: "half" } },
      { event: "output", data: { text: "working\n" } },
      { event: "result", data: { status: "done", output: { text: "let go" } } },
    ]);
    expect(await collect(client.stream("add", { a: 1 } as never))).toMatchObject([{ event: "result", data: { status: "failed" } }]);
    expect((await refusalOf(collect(open({}, { key: "nobody" }).client.stream("add", { a: 1, b: 2 })))).code).toBe("unauthenticated");
  });

  it("has in the result what was streamed as output, where the caller asks for the whole", async () => {
    const { client } = open({ engine: { tools: [writer] } });
    const texts = async (wholeResult: boolean) =>
      (await collect(client.stream("write", {}, { wholeResult }))).map(({ event, data }) => [event, data]);
    const log = ["log", { level: "info", message: "It wrote." }];
    expect(await texts(true)).toMatchObject([
      ["started", {}],
      ["output", { text: "written\n" }],
      log,
      ["result", { content: [{ text: "written\n" }] }],
    ]);
    expect(await texts(false)).toMatchObject([
      ["started", {}],
      ["output", { text: "written\n" }],
      log,
      ["result", { content: [{ text: "" }] }],
    ]);
  });

  it("cancels the call of a stream that nobody reads on", async () => {
    const { tool, cancelled } = gatedTool();
    const { client } = open({ engine: { tools: [tool], policy: "full" } });
    for await (const { event } of client.stream("wait", {})) if (event === "progress") break;
    await cancelled;
  });

  it("lets the call of a stream run on, and cancels it by its id", async () => {
    const { tool, cancelled } = gatedTool();
    const { client } = open({ engine: { tools: [tool], policy: "full" } });
    let id = "";
    for await (const { event, data } of client.stream("wait", {}, { runsOn: true })) {
      if (event === "started") id = data.callId;
      if (event === "output") break;
    }
    expect(await client.operate("runs.get", { id })).toMatchObject({ status: "running" });
    await client.cancel(id);
    await cancelled;
    await expect.poll(async () => (await client.operate("runs.get", { id })).status).toBe("cancelled");
    expect((await refusalOf(client.cancel(id))).code).toBe("call_not_found");
  });

  it("tells of an approved call while it runs", async () => {
    const { client } = open();
    const pending = await client.call("pay", { to: "bob" });
    if (pending.status !== "pending") throw new Error("It does not wait.");
    const { id } = pending.approval;
    await client.operate("approvals.answer", { id, outcome: { kind: "approve" } });
    const { callId } = pending;
    expect(await collect(client.streamResumed(id, { runsOn: true }))).toMatchObject([
      { event: "started", data: { callId } },
      { event: "result", data: { status: "done", callId } },
    ]);
  });

  it("says so when the stream of a call is cut off", async () => {
    const cut: typeof fetch = async () => new Response(": alive\n\n", { headers: { "content-type": "text/event-stream" } });
    const { client } = open({}, { through: () => cut });
    expect(await refusalOf(collect(client.stream("add", { a: 1, b: 2 })))).toMatchObject({
      code: "connection_failed",
      message: expect.stringContaining("cut off"),
    });
  });
});

describe("a stream of events", () => {
  const twoCalls = async (client: ReturnType<typeof open>["client"]) => {
    for (const a of [1, 2]) await client.call("add", { a, b: 0 }, { session: "s1" });
  };

  it("goes on after its last event when the connection is lost, and ends with the signal", async () => {
    const asked: (string | null)[] = [];
    /** The first connection ends after one event, the second finds no server, and the third goes on. */
    const through =
      (ask: typeof fetch): typeof fetch =>
      async (url, init) => {
        const last = new Headers(init?.headers).get("last-event-id");
        if (!String(url).includes("/events")) return ask(url, init);
        asked.push(last);
        if (asked.length === 2) throw new TypeError("fetch failed");
        const response = await ask(url, init);
        return asked.length === 1 ? cutAfterOne(response) : response;
      };
    const { client, waits } = open({}, { through });
    await twoCalls(client);
    const stop = new AbortController();
    const seen: number[] = [];
    let lost = 0;
    const onLost = () => {
      lost += 1;
    };
    const options = { signal: stop.signal, onLost };
    for await (const { sequence } of client.follow("events.list", { session: "s1", after: 0 }, options)) {
      seen.push(sequence);
      if (seen.length === 4) stop.abort();
    }
    expect({ seen, asked, waits, lost }).toEqual({ seen: [1, 2, 3, 4], asked: [null, "1", "1"], waits: [1_000, 2_000], lost: 2 });
  });

  it("rejects with the code and the sentence where the share of its session is taken back, which is no item of it", async () => {
    const clock = createManualClock(Date.now());
    const { client, engine, call } = open({ engine: { clock }, door: { clock } }, { key: "ci" });
    await call("add", { a: 1, b: 2 }, { headers: { "toolwright-session": "s1" } });
    const id = await engine.openSession(ann, "s1");
    await engine.operate(ann, "sessions.share", { id, with: "service:ci" });
    const types: string[] = [];
    const following = (async () => {
      for await (const { event } of client.follow("events.list", { session: id, after: 0 })) {
        types.push(event.type);
        if (event.type !== "tool.completed") continue;
        await engine.operate(ann, "sessions.unshare", { id, with: "service:ci" });
        void clock.advance(15_000);
      }
    })();
    const refusal = await refusalOf(following);
    expect(refusal.code).toBe("session_not_found");
    expect(refusal.message).toMatch(/^There is no session .* Use a session of your own/);
    expect(types.slice(0, 2)).toEqual(["tool.started", "tool.completed"]);
    expect(types).not.toContain(undefined);
  });

  it("rejects where it is refused, and for an operation that answers once", async () => {
    const { client } = open({}, { key: "ci" });
    expect((await refusalOf(collect(client.follow("events.list", { session: "none" })))).code).toBe("session_not_found");
    expect((await refusalOf(collect(client.follow("tools.list", {})))).code).toBe("operation_unavailable");
  });
});

/** The beginning of a stream, through its first event. */
async function cutAfterOne(response: Response): Promise<Response> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!/data: .*\n\n/.test(text)) text += decoder.decode((await reader.read()).value);
  await reader.cancel();
  return new Response(/^.*?data: [^\n]*\n\n/s.exec(text)?.[0], { headers: response.headers });
}
