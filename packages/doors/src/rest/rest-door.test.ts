import { defaultPolicy } from "@toolwright/engine";
import type { CallSpan, TracedCall } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { describe, expect, it } from "vitest";
import { type Asked, add, ann, gatedTool, openRest } from "../../test/rest-client.ts";

const json = async (response: Response) => (await response.json()) as Record<string, never>;

describe("a call over REST", () => {
  it("is answered with its result", async () => {
    const { call } = openRest();
    const response = await call("add", { a: 1, b: "2" });
    expect(response.status).toBe(200);
    expect(await json(response)).toMatchObject({ status: "done", output: { sum: 3 }, repairs: [{ path: "/b" }] });
  });

  it("that waits for a person says where, and runs when it is repeated after the answer", async () => {
    const { call, ask } = openRest();
    const pending = await call("pay", { to: "bob" });
    expect(pending.status).toBe(202);
    const place = pending.headers.get("location") ?? "";
    expect(place).toMatch(/^\/api\/approvals\/apr_/);
    expect(await json(await ask("GET", place))).toMatchObject({ record: { tool: "pay" } });
    expect((await ask("POST", `${place}/answer`, { body: JSON.stringify({ outcome: { kind: "approve" } }) })).status).toBe(200);
    expect(await json(await call("pay", { to: "bob" }))).toMatchObject({ status: "done", output: { text: "Paid bob." } });
  });

  it("that was approved is run by its approval, once", async () => {
    const { call, ask } = openRest();
    const place = (await call("pay", { to: "bob" }, { as: "ann" })).headers.get("location") ?? "";
    expect((await ask("POST", `${place}/run`)).status).toBe(202);
    await ask("POST", `${place}/answer`, { body: JSON.stringify({ outcome: { kind: "approve" } }) });
    expect(await json(await ask("POST", `${place}/run`))).toMatchObject({ status: "done" });
    expect(await json(await ask("POST", `${place}/run`))).toMatchObject({ code: "approval_used", status: 409 });
  });

  it("that does not fit is a problem with a pointer to each place", async () => {
    const response = await openRest().call("add", { a: "one", c: 1 });
    expect(response.status).toBe(422);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await json(response)).toMatchObject({
      type: "urn:toolwright:problem:invalid_input",
      code: "invalid_input",
      callId: expect.stringMatching(/^call_/),
      issues: [{ pointer: "/a" }, { pointer: "/b" }, { pointer: "/c" }],
      result: { status: "failed" },
    });
  });

  it("with an idempotency key runs once, and refuses the key for anything else", async () => {
    const { call } = openRest();
    const headers = { "idempotency-key": "k1" };
    const first = await json(await call("add", { a: 1, b: 2 }, { headers }));
    const second = await call("add", { a: 1, b: 2 }, { headers });
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(await json(second)).toMatchObject({ callId: first.callId, replayed: true });
    const third = await call("add", { a: 2, b: 2 }, { headers });
    expect([third.status, (await json(third)).code]).toEqual([422, "idempotency_mismatch"]);
    expect((await call("add", { a: 2, b: 2 }, { headers, as: "other" })).status).toBe(200);
  });

  it("goes on with the trace of its caller, and says where its own is", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const traces: unknown[] = [];
    const startCall = ({ trace }: TracedCall): CallSpan => {
      traces.push(trace);
      return { context: trace && { traceparent: own }, run: (handler) => handler(), link: () => {}, end: () => {} };
    };
    const { call } = openRest({ engine: { tools: [add], telemetry: { startCall } } });
    const own = traceparent.replace("b7ad6b7169203331", "00f067aa0ba902b7");
    const wishes: Record<string, string>[] = [{}, { accept: "text/event-stream" }, { prefer: "respond-async" }];
    for (const more of wishes) {
      const traced = await call("add", { a: 1, b: 2 }, { headers: { traceparent, tracestate: "a=b", ...more } });
      expect(traced.headers.get("traceparent"), JSON.stringify(more)).toBe(own);
      await traced.text();
    }
    traces.splice(1);
    expect((await call("add", { a: 1, b: 2 })).headers.has("traceparent")).toBe(false);
    expect(traces).toEqual([{ context: { traceparent, tracestate: "a=b" } }, undefined]);
  });
});

describe("a call that takes long", () => {
  it.each(["respond-async", "wait=0", "respond-async, wait=0; x"])(
    "with Prefer: %s runs on, and its run tells how it ended",
    async (prefer) => {
      const { tool, letGo } = gatedTool();
      const { call, ask } = openRest({ engine: { tools: [tool], policy: "full" } });
      const response = await call("wait", {}, { headers: { prefer } });
      expect(response.status).toBe(202);
      const place = response.headers.get("location") ?? "";
      expect(response.headers.get("preference-applied")).toMatch(/respond-async|wait=0/);
      expect(await json(await ask("GET", place))).toMatchObject({ status: "running" });
      letGo();
      await expect.poll(async () => (await json(await ask("GET", place))).status).toBe("success");
      expect((await ask("GET", place, { as: "other" })).status).toBe(404);
      expect((await ask("GET", place, { as: "ci" })).status).toBe(404);
    },
  );

  it("is answered as ever when it ends in time, or does not run", async () => {
    const { call } = openRest();
    expect((await call("add", { a: 1, b: 2 }, { headers: { prefer: "wait=60" } })).status).toBe(200);
    expect((await call("pay", { to: "bob" }, { headers: { prefer: "respond-async" } })).headers.get("location")).toMatch(/approvals/);
    expect((await call("nope", {}, { headers: { prefer: "respond-async" } })).status).toBe(404);
    expect((await call("add", { a: 1, b: 2 }, { headers: { prefer: "respond-async" } })).status).toBe(202);
  });

  it("is cancelled when its client leaves", async () => {
    const { tool, begun, cancelled } = gatedTool();
    const { call } = openRest({ engine: { tools: [tool], policy: "full" } });
    const client = new AbortController();
    const answer = call("wait", {}, { signal: client.signal });
    await begun;
    client.abort();
    await cancelled;
    expect((await answer).status).toBe(409);
  });

  it("streams its progress, its output and its result", async () => {
    const { tool, letGo, begun } = gatedTool();
    const { call } = openRest({ engine: { tools: [tool], policy: "full" } });
    const response = await call("wait", {}, { headers: { accept: "text/event-stream" } });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    await begun;
    letGo();
    const text = await response.text();
    expect(text).toMatch(/event: started\ndata: {"callId":"call_[^"]+"}\n\n/);
    expect(text).toMatch(/event: progress\ndata: {"done":1,"total":2,"message":"half"}\n\n/);
    expect(text).toMatch(/event: output\ndata: {"text":"working\\n"}\n\n/);
    expect(text).toMatch(/event: result\ndata: {.*"status":"done".*}\n\n$/);
  });

  it("is cancelled when its client leaves in mid-stream, unless it was to run on", async () => {
    const leaving = async (headers: Readonly<Record<string, string>>) => {
      const { tool, letGo, begun, cancelled } = gatedTool();
      const { call, events, engine } = openRest({ engine: { tools: [tool], policy: "full" } });
      const response = await call("wait", {}, { headers: { accept: "text/event-stream", "toolwright-session": "s1", ...headers } });
      await begun;
      await response.body?.cancel();
      if (headers.prefer === undefined) await cancelled;
      else letGo();
      const session = await engine.openSession({ tenant: "acme", actor: { kind: "user", id: "ann" } }, "s1");
      return async () => (await events.read({ tenant: "acme", session })).at(-1)?.event.type;
    };
    await expect.poll(await leaving({})).toBe("tool.cancelled");
    await expect.poll(await leaving({ prefer: "respond-async" })).toBe("tool.completed");
  });

  it("runs on until its caller cancels it by its id, and nobody else can", async () => {
    const { tool, begun, cancelled } = gatedTool();
    const { call, ask } = openRest({ engine: { tools: [tool], policy: "full" } });
    const { callId, run = "" } = await json(await call("wait", {}, { headers: { prefer: "respond-async" } }));
    await begun;
    for (const as of ["other", "ci"]) expect((await ask("POST", `${run}/cancel`, { as })).status).toBe(404);
    expect((await ask("POST", "/api/runs/none/cancel")).status).toBe(404);
    const answer = await ask("POST", `${run}/cancel`);
    expect([answer.status, await json(answer)]).toEqual([202, { status: "cancelling", callId, run }]);
    await cancelled;
    await expect.poll(async () => (await json(await ask("GET", run))).status).toBe("cancelled");
    const again = await ask("POST", `${run}/cancel`);
    expect([again.status, (await json(again)).code]).toEqual([404, "call_not_found"]);
  });

  it("is cancelled when the door closes", async () => {
    const { tool, cancelled } = gatedTool();
    const { call, close } = openRest({ engine: { tools: [tool], policy: "full" } });
    expect((await call("wait", {}, { headers: { prefer: "respond-async" } })).status).toBe(202);
    await close();
    await cancelled;
    expect((await call("wait", {}, { headers: { prefer: "respond-async" } })).status).toBe(503);
  });
});

interface Row {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly asked: Asked;
  readonly status: number;
  readonly code: string;
}

describe("a request that is not served", () => {
  const rows: readonly Row[] = [
    { name: "nobody's", method: "GET", path: "/api/tools", asked: { as: "eve" }, status: 401, code: "unauthenticated" },
    {
      name: "for another host",
      method: "GET",
      path: "/api/tools",
      asked: { headers: { host: "evil.example" } },
      status: 403,
      code: "request_refused",
    },
    {
      name: "from a foreign page",
      method: "GET",
      path: "/api/tools",
      asked: { headers: { origin: "https://evil.example" } },
      status: 403,
      code: "request_refused",
    },
    { name: "with a token in its URL", method: "GET", path: "/api/tools?access_token=ann", asked: {}, status: 400, code: "token_in_url" },
    { name: "to an unknown path", method: "GET", path: "/api/nothing", asked: {}, status: 404, code: "route_not_found" },
    { name: "with another method", method: "DELETE", path: "/api/tools", asked: {}, status: 405, code: "method_not_allowed" },
    { name: "with broken JSON", method: "POST", path: "/api/tools/add/call", asked: { body: "{" }, status: 400, code: "request_malformed" },
    {
      name: "with a member twice",
      method: "POST",
      path: "/api/tools/add/call",
      asked: { body: '{"a":1,"b":{"a":1},"\\u0061":2}' },
      status: 400,
      code: "request_malformed",
    },
    {
      name: "with __proto__",
      method: "POST",
      path: "/api/tools/add/call",
      asked: { body: '{"a":1,"b":2,"__proto__":{}}' },
      status: 422,
      code: "invalid_input",
    },
    {
      name: "nested too deep",
      method: "POST",
      path: "/api/tools/add/call",
      asked: { body: "[".repeat(65) + "]".repeat(65) },
      status: 400,
      code: "request_malformed",
    },
    {
      name: "with text",
      method: "POST",
      path: "/api/tools/add/call",
      asked: { body: "{}", headers: { "content-type": "text/plain" } },
      status: 415,
      code: "media_type_unsupported",
    },
    {
      name: "with a large body",
      method: "POST",
      path: "/api/tools/add/call",
      asked: { body: JSON.stringify({ a: "x".repeat(5_000_000) }) },
      status: 413,
      code: "request_too_large",
    },
    { name: "with a query twice", method: "GET", path: "/api/runs?limit=1&limit=2", asked: {}, status: 400, code: "request_malformed" },
    { name: "with an unknown member of the query", method: "GET", path: "/api/runs?limt=1", asked: {}, status: 422, code: "invalid_input" },
    { name: "with a cursor that no page gave", method: "GET", path: "/api/runs?after=x", asked: {}, status: 422, code: "invalid_input" },
    { name: "without the permission", method: "GET", path: "/api/runs", asked: { as: "ci" }, status: 403, code: "operation_not_allowed" },
    { name: "for what is not there", method: "GET", path: "/api/approvals/apr_none", asked: {}, status: 404, code: "approval_not_found" },
    {
      name: "that only people may make",
      method: "GET",
      path: "/api/policy",
      asked: { as: "ci" },
      status: 403,
      code: "operation_not_allowed",
    },
  ];
  it.each(rows)("because it is $name says $code", async ({ method, path, asked, status, code }) => {
    const response = await openRest().ask(method, path, asked);
    expect([response.status, (await json(response)).code]).toEqual([status, code]);
  });

  it("says which methods the path takes", async () => {
    expect((await openRest().ask("DELETE", "/api/policy")).headers.get("allow")).toBe("GET, PUT, HEAD");
  });

  it("says where to authenticate", async () => {
    const { headers } = await openRest().ask("GET", "/api/tools", { as: "eve" });
    expect(headers.get("www-authenticate")).toBe('Bearer realm="toolwright", error="invalid_token"');
  });

  it("says when to come again where a limit refused", async () => {
    const { call } = openRest({
      engine: {
        tools: [{ ...add, effects: { destructive: true } }],
        policy: [{ tier: "platform", document: { ...defaultPolicy, autonomy: "full", rates: { act: "1/h" } } }],
      },
    });
    await call("add", { a: 1, b: 2 });
    const refused = await call("add", { a: 1, b: 2 });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("ratelimit")).toMatch(/^".+";r=0;t=\d+$/);
  });
});

describe("events over REST", () => {
  const headers = { "toolwright-session": "s1" };
  const stream = { accept: "text/event-stream" };

  it("are a page after a sequence", async () => {
    const { ask, call } = openRest();
    await call("add", { a: 1, b: 2 }, { headers });
    const first = await json(await ask("GET", "/api/events?session=s1&limit=1"));
    expect(first).toMatchObject({ items: [{ sequence: 1, event: { type: "tool.started", door: "rest" } }], next: 1 });
    const second = await json(await ask("GET", "/api/events?session=s1&after=1"));
    expect(second).toMatchObject({ items: [{ sequence: 2, event: { type: "tool.completed" } }] });
    expect(await json(await ask("GET", "/api/events/report?session=s1"))).toMatchObject({ events: 2, faults: [] });
  });

  it("are a stream that goes on after the last event that a client had", async () => {
    const { ask, call } = openRest();
    await call("add", { a: 1, b: 2 }, { headers });
    const response = await ask("GET", "/api/events?session=s1", { headers: { ...stream, "last-event-id": "1" } });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("id: 3")) {
      text += (await reader.read()).value;
      if (text.includes("id: 2") && !text.includes("called again")) {
        text += "called again";
        await call("add", { a: 2, b: 2 }, { headers });
      }
    }
    expect(text).not.toContain("id: 1\n");
    await reader.cancel();
  });

  it("end as a stream when the door closes", async () => {
    const { ask, call, door } = openRest();
    await call("add", { a: 1, b: 2 }, { headers });
    const response = await ask("GET", "/api/events?session=s1", { headers: { ...stream, "last-event-id": "1" } });
    const text = response.text();
    await door.close();
    expect(await text).toMatch(/id: 2\n/);
  });

  it("end as a stream within 15 seconds after the session was unshared", async () => {
    const clock = createManualClock(Date.now());
    const { ask, call, engine } = openRest({ engine: { clock }, door: { clock } });
    await call("add", { a: 1, b: 2 }, { headers });
    const id = await engine.openSession(ann, "s1");
    const body = JSON.stringify({ with: "service:ci" });
    expect((await ask("POST", `/api/sessions/${id}/share`, { body })).status).toBe(200);
    const response = await ask("GET", `/api/events?session=${id}`, { as: "ci", headers: { ...stream, "last-event-id": "0" } });
    expect(response.status).toBe(200);
    const text = response.text();
    await clock.advance(60_000);
    expect((await ask("POST", `/api/sessions/${id}/unshare`, { body })).status).toBe(200);
    await clock.advance(15_000);
    const ended = await text;
    expect(ended).toContain("tool.completed");
    expect(ended).toMatch(/event: error\ndata: {"code":"session_not_found",[^\n]*\n\n$/);
    expect((await ask("GET", `/api/events?session=${id}`, { as: "ci", headers: stream })).status).toBe(404);
  });

  it("are nobody's who may not read them, as a stream too", async () => {
    const { ask, call } = openRest({ door: { maxStreams: 16 } });
    await call("add", { a: 1, b: 2 }, { headers });
    expect((await ask("GET", "/api/events?session=s1", { as: "ci" })).status).toBe(404);
    expect((await ask("GET", "/api/events?session=s1", { as: "ci", headers: stream })).status).toBe(404);
    expect((await json(await ask("GET", "/api/events?session=s1", { as: "other" }))).items).toEqual([]);
    const held = await ask("GET", "/api/events?session=s1", { headers: stream });
    expect((await ask("GET", "/api/events?session=s1", { headers: stream })).status).toBe(429);
    await held.body?.cancel();
    const again = await ask("GET", "/api/events?session=s1", { headers: stream });
    expect(again.status).toBe(200);
    await again.body?.cancel();
  });
});

describe("the policy over REST", () => {
  const put = { document: { tools: { deny: ["pay"] } }, note: "No payments" };
  it("has its revision as ETag, and is put where nobody changed it meanwhile", async () => {
    const { ask } = openRest();
    const before = await ask("GET", "/api/policy");
    expect([before.status, before.headers.get("etag")]).toEqual([200, '"0"']);
    const body = JSON.stringify(put);
    const written = await ask("PUT", "/api/policy", { body, headers: { "if-match": '"0"' } });
    expect([written.status, written.headers.get("etag")]).toEqual([200, '"1"']);
    const late = await ask("PUT", "/api/policy", { body, headers: { "if-match": '"0"' } });
    expect([late.status, (await json(late)).code]).toEqual([412, "precondition_failed"]);
    expect((await ask("PUT", "/api/policy", { body, headers: { "if-match": 'W/"x"' } })).status).toBe(412);
    expect((await ask("PUT", "/api/policy", { body: JSON.stringify({ ...put, read: 0 }) })).status).toBe(409);
    expect((await ask("GET", "/api/policy", { headers: { "if-none-match": '"1"' } })).status).toBe(304);
    expect((await ask("GET", "/api/policy", { as: "other" })).headers.get("etag")).toBe('"0"');
  });
});
