import { fail, notedSchema } from "@toolwright/engine";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { add, ann, bob, connect, eras, greet, modernRequest, openDoor, send, textOf } from "../../../test/mcp-client.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function open(options: Parameters<typeof openDoor>[0] = {}) {
  const opened = openDoor(options);
  closing.push(
    () => opened.door.close(),
    () => opened.engine.close(),
  );
  return opened;
}

describe.each(eras)("a $era client", ({ mode }) => {
  it("hears that the list of tools changed", async () => {
    const { door, engine } = open();
    const heard = Promise.withResolvers<number>();
    const client = await connect(door, {
      mode,
      client: { listChanged: { tools: { onChanged: (_error, tools) => heard.resolve(tools?.length ?? 0) } } },
    });
    closing.push(() => client.close());
    engine.register([greet]);
    expect(await heard.promise).toBe(2);
  });

  it("gets progress and log messages while the tool runs", async () => {
    const noisy = {
      ...add,
      name: "noisy",
      run: (_: never, ctx: { progress(done: number, total: number, message: string): void; log(level: "info", message: string): void }) => {
        ctx.progress(1, 2, "half");
        ctx.progress(1, 2, "half again");
        ctx.log("info", "working");
        return { sum: 0 };
      },
    };
    const { door } = open({ engine: { tools: [noisy] } });
    const logs: unknown[] = [];
    const client = await connect(door, {
      mode,
      prepare: (made) => made.setNotificationHandler("notifications/message", ({ params }) => void logs.push(params.data)),
    });
    closing.push(() => client.close());
    const progress: unknown[] = [];
    const meta = mode === "legacy" ? {} : { _meta: { "io.modelcontextprotocol/logLevel": "info" } };
    await client.callTool({ name: "noisy", arguments: { a: 1, b: 2 }, ...meta } as never, { onprogress: (step) => progress.push(step) });
    expect(progress).toEqual([{ progress: 1, total: 2, message: "half" }]);
    expect(logs).toEqual(["working"]);
  });

  it("cancels the call that it gives up", async () => {
    const aborted = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const slow = {
      ...add,
      name: "slow",
      run: (_: never, { signal }: { signal: AbortSignal }) => {
        started.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted.resolve();
            reject(signal.reason);
          });
        });
      },
    };
    const { door } = open({ engine: { tools: [slow] } });
    const client = await connect(door, { mode });
    closing.push(() => client.close());
    const giveUp = new AbortController();
    const call = client.callTool({ name: "slow", arguments: { a: 1, b: 2 } }, { signal: giveUp.signal });
    await started.promise;
    giveUp.abort();
    await expect(call).rejects.toThrow();
    await aborted.promise;
  });

  it("is asked by a tool that waits for it, which runs once", async () => {
    const { door } = open({ engine: { tools: [greet] } });
    const client = await connect(door, {
      mode,
      client: { capabilities: { elicitation: { form: {} } } },
      prepare: (made) =>
        made.setRequestHandler("elicitation/create", async () => ({ action: "accept" as const, content: { name: "Ann" } })),
    });
    closing.push(() => client.close());
    expect(textOf(await client.callTool({ name: "greet", arguments: {} }))).toContain("Hello, Ann.");
  });

  it("reads the whole of a cut output as a resource, page by page", async () => {
    const whole = { text: "é".repeat(400_000) };
    const large = { ...add, name: "large", input: z.object({}), output: z.object({ text: z.string() }), run: () => whole };
    const { door } = open({ engine: { tools: [large] } });
    const client = await connect(door, { mode });
    closing.push(() => client.close());
    const result = await client.callTool({ name: "large", arguments: {} });
    const link = result.content.find((block) => block.type === "resource_link");
    let uri: string | undefined = link?.type === "resource_link" ? link.uri : undefined;
    let read = "";
    while (uri) {
      const { contents } = await client.readResource({ uri });
      read += contents[0] && "text" in contents[0] ? contents[0].text : "";
      uri = (contents[0]?._meta?.["dev.toolwright/call"] as { next?: string } | undefined)?.next;
    }
    expect(JSON.parse(read)).toEqual(whole);
  });
});

describe("tools/list", () => {
  it("says both schemas, all four hints and the hash of the definition (pain #24)", async () => {
    const { door, engine } = open();
    const client = await connect(door, { mode: { pin: "2026-07-28" } });
    closing.push(() => client.close());
    const [tool] = (await client.listTools()).tools;
    const [view] = engine.scope(ann, { session: "s" }).list();
    expect(tool).toMatchObject({
      name: "add",
      title: "Add",
      inputSchema: view?.inputSchema,
      outputSchema: notedSchema(view?.outputSchema ?? {}),
    });
    expect(tool?.annotations).toEqual({
      title: "Add",
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
    expect(tool?._meta).toEqual({ "dev.toolwright/tool": { hash: view?.hash, group: "custom" } });
  });

  it("is the same text each time (pain #8)", async () => {
    const { door } = open({ engine: { tools: [greet, add] } });
    const list = async () => (await door.fetch(modernRequest("tools/list"))).text();
    expect(await list()).toBe(await list());
  });
});

describe("the call's facts", () => {
  it("are in _meta and, when a model must know, in the text", async () => {
    const { door } = open();
    const response = await door.fetch(modernRequest("tools/call", { name: "add", arguments: { a: "2", b: 3 } }));
    const { result } = (await response.json()) as {
      result: { _meta: Record<string, unknown>; content: { type: string; text: string }[]; structuredContent: unknown };
    };
    expect(result._meta["dev.toolwright/call"]).toMatchObject({ status: "done", repairs: [{ path: "/a" }] });
    expect(textOf(result)).toMatch(/repaired at \/a/);
    expect(result.structuredContent).toEqual({ notes: [expect.stringMatching(/repaired at \/a/)], sum: 5 });
  });

  it("name the tool's own code in a foreseen failure", async () => {
    const failing = { ...add, name: "failing", run: () => fail("no_luck", "Try later.", { after: 5 }) };
    const { door } = open({ engine: { tools: [failing] } });
    const response = await door.fetch(modernRequest("tools/call", { name: "failing", arguments: { a: 1, b: 2 } }));
    const { result } = (await response.json()) as { result: { isError: boolean; content: { type: string; text: string }[] } };
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^Error tool_failed \(no_luck\): Try later\./);
  });
});

describe("the protocol's edges (R-MC-8)", () => {
  const body = (message: unknown) => ({
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify(message),
  });
  const call = { name: "add", arguments: { a: 1, b: 2 } };
  const rows = [
    { name: "GET without a session", request: () => send({ method: "GET", headers: { accept: "text/event-stream" } }), status: 405 },
    { name: "DELETE without a session", request: () => send({ method: "DELETE" }), status: 405 },
    { name: "PUT", request: () => send({ method: "PUT", body: "{}" }), status: 405 },
    { name: "a batch", request: () => send(body([{ jsonrpc: "2.0", id: 1, method: "ping" }])), status: 400, code: -32600 },
    {
      name: "a message without session",
      request: () => send(body({ jsonrpc: "2.0", id: 1, method: "tools/list" })),
      status: 400,
      code: -32600,
    },
    {
      name: "another version in the header",
      request: () => modernRequest("tools/call", call, { headers: { "mcp-protocol-version": "2025-11-25" } }),
      status: 400,
      code: -32020,
    },
    {
      name: "an unknown version",
      request: () =>
        modernRequest("tools/call", call, {
          headers: { "mcp-protocol-version": "2099-01-01" },
          meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" },
        }),
      status: 400,
      code: -32022,
    },
    {
      name: "another method in the header",
      request: () => modernRequest("tools/call", call, { headers: { "mcp-method": "tools/list" } }),
      status: 400,
      code: -32020,
    },
    {
      name: "another name in the header",
      request: () => modernRequest("tools/call", call, { headers: { "mcp-name": "sub" } }),
      status: 400,
      code: -32020,
    },
    {
      name: "no name in the header",
      request: () => {
        const request = modernRequest("tools/call", call);
        request.headers.delete("mcp-name");
        return request;
      },
      status: 400,
      code: -32020,
    },
    { name: "an unknown method", request: () => modernRequest("tools/forget"), status: 404, code: -32601 },
    { name: "an unknown tool", request: () => modernRequest("tools/call", { name: "zzz", arguments: {} }), status: 200, code: -32602 },
    { name: "an unknown resource", request: () => modernRequest("resources/read", { uri: "test://nothing" }), status: 200, code: -32602 },
    {
      name: "an unknown artifact",
      request: () => modernRequest("resources/read", { uri: "artifact://nothing" }),
      status: 200,
      code: -32602,
    },
    { name: "a made-up cursor", request: () => modernRequest("tools/list", { cursor: "x" }), status: 200, code: -32602 },
    {
      name: "a tool that needs more of the client",
      request: () =>
        modernRequest("tools/call", { name: "greet", arguments: {} }, { meta: { "io.modelcontextprotocol/clientCapabilities": {} } }),
      status: 400,
      code: -32021,
    },
  ];
  it.each(rows)("answers $name with $status $code", async ({ request, status, code }) => {
    const { door } = open({ engine: { tools: [add, greet] } });
    const response = await door.fetch(request());
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error: { code: number } };
    if (code !== undefined) expect(error.code).toBe(code);
  });
});

describe("a 2025-era session (R-MC-5)", () => {
  const authentication = {
    open: false,
    authenticate: (token: string | undefined) => (token === "ann" ? ann : token === "bob" ? bob : undefined),
  };
  const headers = (token: string, session?: string) => ({
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session !== undefined && { "mcp-session-id": session }),
  });
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
  };
  const post = (token: string, message: unknown, session?: string) =>
    send({ method: "POST", headers: headers(token, session), body: JSON.stringify(message) });
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
  /** The id of a new session of Ann's, whose client has read the answer. */
  const openSession = async ({ door }: ReturnType<typeof open>) => {
    const answer = await door.fetch(post("ann", initialize));
    await answer.text();
    return answer.headers.get("mcp-session-id") ?? "";
  };

  it("has an id of at least 128 bits that only its principal can use", async () => {
    const { door } = open({ door: { authentication } });
    const opened = await door.fetch(post("ann", initialize));
    const id = opened.headers.get("mcp-session-id") ?? "";
    expect(id).toMatch(/^mcp_[\w-]{22,}$/);
    expect((await door.fetch(post("ann", ping, id))).status).toBe(200);
    const foreign = await door.fetch(post("bob", ping, id));
    const unknown = await door.fetch(post("bob", ping, "mcp_unknown"));
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(await foreign.text()).toBe(await unknown.text());
    expect((await door.fetch(send({ method: "GET", headers: headers("bob", id) }))).status).toBe(404);
    expect((await door.fetch(send({ method: "DELETE", headers: headers("bob", id) }))).status).toBe(404);
  });

  it("ends when it is deleted", async () => {
    const opened = open({ door: { authentication } });
    const id = await openSession(opened);
    expect((await opened.door.fetch(send({ method: "DELETE", headers: headers("ann", id) }))).status).toBe(200);
    expect((await opened.door.fetch(post("ann", ping, id))).status).toBe(404);
  });

  it("ends when nobody uses it", async () => {
    const opened = open({ door: { authentication, sessionTtlMs: 1000 } });
    const id = await openSession(opened);
    await opened.clock.advance(900);
    const answer = await opened.door.fetch(post("ann", ping, id));
    expect(answer.status).toBe(200);
    await answer.text();
    await opened.clock.advance(1600);
    expect((await opened.door.fetch(post("ann", ping, id))).status).toBe(404);
  });
});
