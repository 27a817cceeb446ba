import { type CapabilityProvider, defineTool, type Principal } from "@toolwright/engine";
import { createMemoryClientSessions, sha256 } from "@toolwright/engine/ports";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { modernRequest, openDoor, send } from "../../../test/mcp-client.ts";

/** A token is a tenant and a user: "acme/ann". */
const authentication = {
  open: false,
  authenticate(token = ""): Principal | undefined {
    const [tenant, id] = token.split("/");
    return tenant && id ? { tenant, actor: { kind: "user", id }, permissions: [], door: "mcp" } : undefined;
  },
};

/** How each run of `wait` ended. */
let runs: string[];
let go: () => void;
let opened: ReturnType<typeof openDoor>;
const clientSessions = createMemoryClientSessions();

/** Tenants and sessions of the engine that were ended. */
let over: string[];
const noting: CapabilityProvider<"secrets"> = {
  name: "secrets",
  open: () => ({}) as never,
  endSession: async (tenant, session) => void over.push(`${tenant} ${session}`),
};

function start(): ReturnType<typeof openDoor> {
  const going = Promise.withResolvers<void>();
  go = going.resolve;
  const wait = defineTool({
    name: "wait",
    description: "Waits until it is told to go on.",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    run: (_, { signal }) =>
      new Promise<{ text: string }>((resolve, reject) => {
        const at = runs.push("runs") - 1;
        signal.addEventListener("abort", () => {
          if (runs[at] === "runs") runs[at] = "cancelled";
          reject(signal.reason);
        });
        void going.promise.then(() => {
          if (runs[at] === "runs") runs[at] = "done";
          resolve({ text: "done" });
        });
      }),
  });
  return openDoor({ engine: { tools: [wait], capabilities: [noting] }, door: { authentication, clientSessions, sessionTtlMs: 3_600_000 } });
}

beforeEach(() => {
  runs = [];
  over = [];
  opened = start();
});
afterEach(async () => {
  go();
  await opened.door.close();
  await opened.engine.close();
});

interface Asking {
  readonly id?: string;
  readonly version?: string;
  readonly token?: string;
  readonly event?: string;
}
const headersOf = ({ id, version, token = "acme/ann", event }: Asking) => ({
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  ...(id !== undefined && { "mcp-session-id": id }),
  ...(version !== undefined && { "mcp-protocol-version": version }),
  ...(event !== undefined && { "last-event-id": event }),
});
const post = (message: object, asking: Asking = {}) =>
  opened.door.fetch(send({ method: "POST", headers: headersOf(asking), body: JSON.stringify({ jsonrpc: "2.0", ...message }) }));
const listen = (asking: Asking) => opened.door.fetch(send({ method: "GET", headers: headersOf(asking) }));
const end = (asking: Asking) => opened.door.fetch(send({ method: "DELETE", headers: headersOf(asking) }));
const call = (id = 1) => ({ id, method: "tools/call", params: { name: "wait", arguments: {} } });

async function open(protocolVersion = "2025-11-25"): Promise<{ readonly asking: Asking; readonly text: string }> {
  const params = { protocolVersion, capabilities: { elicitation: {} }, clientInfo: { name: "c", version: "1" } };
  const response = await post({ id: 0, method: "initialize", params });
  const text = await response.text();
  return { asking: { id: response.headers.get("mcp-session-id") ?? "", version: protocolVersion }, text };
}

/** The next piece of a stream. */
async function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  return new TextDecoder().decode((await reader.read()).value);
}
const readerOf = (response: Response) => (response.body as ReadableStream<Uint8Array>).getReader();
const turns = async () => {
  for (let count = 0; count < 20; count++) await new Promise((resolve) => setImmediate(resolve));
};
const eventIn = (text: string) => /^id: (\S+)/m.exec(text)?.[1] ?? "";

describe.each(["2025-11-25", "2025-06-18", "2025-03-26"])("a session of %s whose client vanished", (version) => {
  it("keeps its call for 10 seconds and then cancels it", async () => {
    const { asking } = await open(version);
    const stream = await post(call(), asking);
    await turns();
    await stream.body?.cancel();
    await opened.clock.advance(9_900);
    expect(runs).toEqual(["runs"]);
    await opened.clock.advance(200);
    await turns();
    expect(runs).toEqual(["cancelled"]);
  });

  it("cancels what its connection carried, while its stream of news and its other calls go on", async () => {
    const { asking } = await open(version);
    const news = await listen(asking);
    const [first, second] = [await post(call(1), asking), await post(call(2), asking)];
    await turns();
    await first.body?.cancel();
    await opened.clock.advance(60_000);
    await turns();
    expect(runs).toEqual(["cancelled", "runs"]);
    go();
    expect(await second.text()).toContain("done");
    await news.body?.cancel();
  });

  it("can still be used", async () => {
    const { asking } = await open(version);
    const stream = await post(call(), asking);
    await turns();
    await stream.body?.cancel();
    await opened.clock.advance(20_000);
    const again = await post({ id: 1, method: "ping" }, asking);
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining('"result"')]);
  });
});

describe("a call whose answer came", () => {
  it("is not cancelled when its connection closes after that", async () => {
    const { asking } = await open();
    const stream = await post(call(), asking);
    go();
    expect(await stream.text()).toContain("done");
    await opened.clock.advance(60_000);
    expect(runs).toEqual(["done"]);
  });
});

describe("a client that comes back", () => {
  it("takes up the stream of its call and gets the answer, however long that takes", async () => {
    const { asking } = await open();
    const stream = await post(call(), asking);
    const reader = readerOf(stream);
    const event = eventIn(await read(reader));
    await turns();
    await reader.cancel();
    await opened.clock.advance(5_000);
    const resumed = await listen({ ...asking, event });
    await opened.clock.advance(120_000);
    expect(runs).toEqual(["runs"]);
    go();
    expect(await resumed.text()).toContain("done");
  });

  it("is told that its call was cancelled when it comes too late", async () => {
    const { asking } = await open();
    const reader = readerOf(await post(call(), asking));
    const event = eventIn(await read(reader));
    await turns();
    await reader.cancel();
    await opened.clock.advance(11_000);
    await turns();
    const resumed = await listen({ ...asking, event });
    expect(await resumed.text()).toMatch(/gone for 10 s, so the call was cancelled/);
  });

  it("loses its call when it vanishes again", async () => {
    const { asking } = await open();
    const reader = readerOf(await post(call(), asking));
    const event = eventIn(await read(reader));
    await turns();
    await reader.cancel();
    const resumed = await listen({ ...asking, event });
    await opened.clock.advance(30_000);
    expect(runs).toEqual(["runs"]);
    await resumed.body?.cancel();
    await opened.clock.advance(11_000);
    await turns();
    expect(runs).toEqual(["cancelled"]);
  });
});

describe("event ids of POST streams", () => {
  it.each(["2025-06-18", "2025-03-26", "2024-11-05"])("are not sent to a client of %s, which does not know them", async (version) => {
    const { asking, text } = await open(version);
    expect(text).toContain('"result"');
    const stream = await post(call(), asking);
    await turns();
    go();
    const body = await stream.text();
    expect(body).toContain("done");
    expect(text + body).not.toMatch(/^id:/m);
  });

  it("are not sent either when the client leaves the revision out, or names a newer one", async () => {
    const { asking } = await open("2025-06-18");
    for (const version of [undefined, "2025-11-25"]) {
      const { version: _, ...rest } = asking;
      const stream = await post({ id: 3, method: "ping" }, { ...rest, ...(version !== undefined && { version }) });
      expect(await stream.text()).not.toMatch(/^id: ?\S/m);
    }
  });

  it("are sent to a client of 2025-11-25", async () => {
    const { asking, text } = await open("2025-11-25");
    expect(text).toMatch(/^id: \S/m);
    expect(await (await post({ id: 3, method: "ping" }, asking)).text()).toMatch(/^id: \S/m);
  });
});

describe("a session after a restart of the server", () => {
  const restart = async () => {
    await opened.door.close();
    await opened.engine.close();
    opened = start();
  };

  it("goes on with what its client said of itself", async () => {
    const { asking } = await open("2025-06-18");
    await restart();
    const stream = await post(call(), asking);
    await turns();
    go();
    const body = await stream.text();
    expect(body).toContain("done");
    expect(body).not.toMatch(/^id:/m);
  });

  it("is taken up once by requests side by side", async () => {
    const { asking } = await open();
    await restart();
    const answers = await Promise.all([1, 2, 3, 4].map(async (id) => (await post({ id, method: "ping" }, asking)).status));
    expect(answers).toEqual([200, 200, 200, 200]);
  });

  it("opens its stream of news for a client that names an event of before", async () => {
    const { asking } = await open();
    const reader = readerOf(await listen(asking));
    opened.engine.register([]);
    opened.engine.setPolicy([]);
    const event = eventIn(await read(reader));
    expect(event).not.toBe("");
    await reader.cancel();
    await restart();
    const news = await listen({ ...asking, event });
    expect(news.status).toBe(200);
    const after = readerOf(news);
    opened.engine.setPolicy([]);
    expect(await read(after)).toContain("list_changed");
    await after.cancel();
  });

  it("is nobody's but its owner's, and unknown to others", async () => {
    const { asking } = await open();
    await restart();
    for (const token of ["acme/bob", "beta/ann"]) expect((await post({ id: 1, method: "ping" }, { ...asking, token })).status).toBe(404);
    expect((await post({ id: 1, method: "ping" }, asking)).status).toBe(200);
  });

  it("stays ended when it was ended before, or was idle for longer than its life", async () => {
    const [ended, idle] = [await open(), await open()];
    expect((await end(ended.asking)).status).toBe(200);
    await restart();
    await opened.clock.advance(3_600_001);
    for (const { asking } of [ended, idle]) expect((await post({ id: 1, method: "ping" }, asking)).status).toBe(404);
  });

  it("can be ended by its client, for good", async () => {
    const { asking } = await open();
    await restart();
    expect((await end(asking)).status).toBe(200);
    await restart();
    expect((await post({ id: 1, method: "ping" }, asking)).status).toBe(404);
  });

  it("lives on when it was used shortly before", async () => {
    const { asking } = await open();
    await opened.clock.advance(3_000_000);
    await (await post({ id: 1, method: "ping" }, asking)).text();
    const before = opened.clock.now();
    await restart();
    await opened.clock.advance(before + 3_000_000 - opened.clock.now());
    expect((await post({ id: 1, method: "ping" }, asking)).status).toBe(200);
  });
});

describe("what a session left running", () => {
  const nameOf = ({ id = "" }: Asking) => `acme mcp-${sha256(id).slice(0, 32)}`;

  it("ends with the session, when its client ends it or nobody uses it", async () => {
    const [ended, idle] = [await open(), await open()];
    await end(ended.asking);
    expect(over).toEqual([nameOf(ended.asking)]);
    await opened.clock.advance(2 * 3_600_000);
    await turns();
    expect(over).toEqual([nameOf(ended.asking), nameOf(idle.asking)]);
  });

  it("does not end when the server stops and another goes on", async () => {
    await open();
    await opened.door.close();
    expect(over).toEqual([]);
  });
});

describe("a request of 2026-07-28 whose connection closes", () => {
  it("cancels its call at once", async () => {
    const gone = new AbortController();
    const request = modernRequest("tools/call", { name: "wait", arguments: {} });
    const headers = new Headers(request.headers);
    headers.set("authorization", "Bearer acme/ann");
    void opened.door
      .fetch(new Request(request.url, { method: "POST", headers, body: await request.text(), signal: gone.signal }))
      .catch(() => {});
    await expect.poll(() => runs).toEqual(["runs"]);
    gone.abort();
    await expect.poll(() => runs).toEqual(["cancelled"]);
  });
});
