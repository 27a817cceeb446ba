import { type ContentBlock, defineTool, fail, ToolwrightError } from "@toolwright/engine";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { add, countingTool, greet, modernRequest, openDoor } from "../../../test/mcp-client.ts";
import { idempotencyMetaKey } from "../call/call-meta.ts";
import { PlainRequests } from "./plain-requests.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0).reverse()) await close();
});

const named = (name: string, run: () => never) =>
  defineTool({ name, description: "Ends otherwise.", input: z.object({}), output: z.object({}), run });
const failing = named("failing", () => fail("no", "It did not work.") as never);
const throwing = named("throwing", () => {
  throw new ToolwrightError("rate_limited", "Too often.");
});
const picture = defineTool({
  name: "picture",
  description: "Gives an image and a long text.",
  input: z.object({ long: z.boolean().nullish() }),
  output: z.object({ text: z.string() }),
  run: ({ long }) => ({ text: "x".repeat(long ? 200_000 : 1) }),
});

const blocks: readonly ContentBlock[] = [
  { text: "In another order.", type: "text" },
  { type: "resource_link", uri: "file:///a", name: "a", mimeType: "text/plain", description: "A file." },
  { type: "resource", resource: { text: "x", uri: "file:///a" } },
  { type: "image", mimeType: "image/png", data: "aGk=" },
];
const showing = (name: string, content: readonly ContentBlock[]) =>
  defineTool({
    name,
    description: "Shows something.",
    input: z.object({}),
    output: z.object({}),
    run: () => ({}),
    toModel: () => content,
  });

function open() {
  const tools = [
    showing("shows", blocks),
    showing("breaks", [{ type: "image", data: "no base64", mimeType: "image/png" }]),
    add,
    greet,
    failing,
    throwing,
    picture,
    countingTool().tool,
  ];
  const { door, engine } = openDoor({ engine: { tools } });
  closing.push(
    () => door.close(),
    () => engine.close(),
  );
  return door;
}

type Params = Record<string, unknown>;
const capabilities = "io.modelcontextprotocol/clientCapabilities";
const info = "io.modelcontextprotocol/clientInfo";

/** With a member that means nothing, and so goes through the protocol layer. */
const veiled = (params: Params) => ({ ...params, _meta: { ...(params._meta as Params), "test.example/veil": true } });

const cases: Record<string, { readonly name: string; readonly arguments?: unknown; readonly _meta?: Params }> = {
  "that is done": { name: "add", arguments: { a: 2, b: 3 } },
  "whose input is repaired": { name: "add", arguments: { a: "2", b: 3 } },
  "whose input does not fit": { name: "add", arguments: { a: "two" } },
  "that shows more than text": { name: "shows", arguments: {} },
  "whose content is broken": { name: "breaks", arguments: {} },
  "with __proto__ deep in its arguments": { name: "add", arguments: { a: JSON.parse('{"__proto__":{"c":3}}'), b: 2 } },
  "without arguments": { name: "add" },
  "whose tool fails": { name: "failing", arguments: {} },
  "whose tool throws": { name: "throwing", arguments: {} },
  "whose output is long": { name: "picture", arguments: { long: true } },
  "of a tool that there is not": { name: "ad", arguments: {} },
  "of a tool that needs what the client has not": { name: "greet", arguments: {}, _meta: { [capabilities]: {} } },
  "of a tool that asks in the client": { name: "greet", arguments: {}, _meta: { [capabilities]: { elicitation: { form: {} } } } },
  "that waits for a person": { name: "pay", arguments: { to: "Ann" }, _meta: { [capabilities]: {} } },
  "that asks the person in the client": { name: "pay", arguments: { to: "Ann" }, _meta: { [capabilities]: { elicitation: {} } } },
  "with an idempotency key": { name: "add", arguments: { a: 1, b: 1 }, _meta: { [idempotencyMetaKey]: "k" } },
  "with a key that is none": { name: "add", arguments: { a: 1, b: 1 }, _meta: { [idempotencyMetaKey]: 7 } },
};

describe("a plain request", () => {
  it.each(Object.entries(cases))("%s is answered as by the protocol layer", async (_, params) => {
    const read = vi.spyOn(PlainRequests.prototype, "answer");
    const plain = await answerTo(params);
    expect(read).toHaveBeenCalledOnce();
    const layered = await answerTo(veiled(params));
    expect(read).toHaveBeenCalledOnce();
    expect(plain).toEqual(layered);
  });

  it.each([undefined, "nonsense", Buffer.from("after add").toString("base64url")])(
    "for a list from cursor %s is answered as by the protocol layer",
    async (cursor) => {
      const read = vi.spyOn(PlainRequests.prototype, "answer");
      const plain = await answerTo({ ...(cursor !== undefined && { cursor }) }, "tools/list");
      expect(read).toHaveBeenCalledOnce();
      expect(plain).toEqual(await answerTo(veiled({ ...(cursor !== undefined && { cursor }) }), "tools/list"));
      expect(read).toHaveBeenCalledOnce();
    },
  );

  it("is answered alike by both ways, whatever was sent", async () => {
    const { door, engine } = openDoor({ engine: { tools: [add, failing, countingTool().tool] } });
    closing.push(
      () => door.close(),
      () => engine.close(),
    );
    const read = vi.spyOn(PlainRequests.prototype, "read");
    const layered = async (wire: Sent) => {
      read.mockReturnValueOnce(undefined);
      return said(await door.fetch(requestFrom(wire)));
    };
    await fc.assert(
      fc.asyncProperty(sent, async (wire) => {
        expect(await said(await door.fetch(requestFrom(wire)))).toEqual(await layered(wire));
      }),
      { numRuns: 400 },
    );
    expect(read.mock.results.filter(({ value }) => value !== undefined).length).toBeGreaterThan(50);
  });

  const odd: Record<string, (request: Wire) => void> = {
    "a batch": (wire) => Object.assign(wire, { body: [wire.body] }),
    "no id": ({ body }) => void delete body.id,
    "an id that is none": ({ body }) => void Object.assign(body, { id: 1.5 }),
    "another version of JSON-RPC": ({ body }) => void Object.assign(body, { jsonrpc: "1.0" }),
    "arguments that are no object": ({ body }) => void Object.assign(body.params, { arguments: [1] }),
    "a name that is none": ({ body }) => void Object.assign(body.params, { name: 7 }),
    "__proto__ in its arguments": ({ body }) => void Object.assign(body.params, JSON.parse('{"arguments":{"a":1,"__proto__":{}}}')),
    "an unknown revision": ({ body }) => void Object.assign(body.params._meta, { "io.modelcontextprotocol/protocolVersion": "2027-01-01" }),
    "a client that is none": ({ body }) => void Object.assign(body.params._meta, { [info]: { name: 7 } }),
    "capabilities that are none": ({ body }) => void Object.assign(body.params._meta, { [capabilities]: [] }),
    "no capabilities": ({ body }) => void delete body.params._meta[capabilities],
    "no envelope": ({ body }) => void Object.assign(body.params, { _meta: {} }),
    "a state that nobody sealed": ({ body }) => void Object.assign(body.params, { requestState: "x" }),
    "a level of logs that is none": ({ body }) => void Object.assign(body.params._meta, { "io.modelcontextprotocol/logLevel": "loud" }),
    "a header that names another tool": ({ headers }) => headers.set("mcp-name", "greet"),
    "a header that names another method": ({ headers }) => headers.set("mcp-method", "tools/list"),
    "no header for the name": ({ headers }) => headers.delete("mcp-name"),
    "a header with another version": ({ headers }) => headers.set("mcp-protocol-version", "2025-11-25"),
  };
  it.each(Object.entries(odd))("with %s is left to the protocol layer", async (_, change) => {
    const read = vi.spyOn(PlainRequests.prototype, "answer");
    const wire = await wireOf({ name: "add", arguments: { a: 1, b: 2 } });
    change(wire);
    const { url, method } = wire.request;
    const response = await open().fetch(new Request(url, { method, headers: wire.headers, body: JSON.stringify(wire.body) }));
    expect(read).not.toHaveBeenCalled();
    expect([response.status, await response.text()]).not.toEqual([200, expect.stringContaining("sum")]);
  });

  it("ends as cancelled when its client goes away, and when the door closes", async () => {
    for (const end of ["client", "door"]) {
      const running = Promise.withResolvers<AbortSignal>();
      const waits = defineTool({
        name: "waits",
        description: "Waits.",
        input: z.object({}),
        output: z.object({}),
        run: (_, { signal }) => {
          running.resolve(signal);
          return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        },
      });
      const { door, engine } = openDoor({ engine: { tools: [waits] } });
      const gone = new AbortController();
      const asked = await requestOf({ name: "waits", arguments: {} });
      const answer = door.fetch(new Request(asked, { signal: gone.signal }));
      const signal = await running.promise;
      if (end === "client") gone.abort();
      else await door.close();
      expect(signal.aborted).toBe(true);
      await answer;
      await door.close();
      await engine.close();
    }
  });
});

interface Wire {
  readonly request: Request;
  readonly headers: Headers;
  readonly body: { id?: unknown; params: Params & { _meta: Params } };
}

interface Sent {
  readonly text: string;
  readonly headers: Record<string, string>;
}

function requestFrom({ text, headers }: Sent): Request {
  return new Request("http://localhost:7777/mcp", { method: "POST", headers: { host: "localhost:7777", ...headers }, body: text });
}

const rarely = (usual: unknown, ...others: unknown[]) => fc.oneof(often(usual), fc.constantFrom(...others));
const often = (...usual: unknown[]) => ({ weight: 12, arbitrary: fc.constantFrom(...usual) });
const absent = Symbol("absent");
const present = (members: Params) => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== absent));

/** A request that is mostly right: each part may be missing, of another type, or disagree with another part. */
const sent = fc
  .record({
    id: fc.oneof(
      { weight: 8, arbitrary: fc.oneof(fc.integer(), fc.string()) },
      fc.constantFrom<unknown>(null, 1.5, 2 ** 60, true, absent, {}),
    ),
    jsonrpc: rarely("2.0", "1.0", absent),
    method: fc.oneof(often("tools/call", "tools/call", "tools/list"), fc.constantFrom("ping", "tools/none")),
    header: rarely("same", "tools/call", absent),
    name: fc.oneof(often("add", "failing", "pay", "none"), fc.constantFrom(7, "", absent, "ä")),
    nameHeader: rarely("same", "add", absent, "=?base64?YWRk?="),
    input: fc.oneof(
      { weight: 6, arbitrary: fc.record({ a: fc.oneof(fc.integer(), fc.string()), b: fc.integer() }) },
      fc.dictionary(fc.constantFrom("a", "b", "to", "__proto__", "constructor"), fc.jsonValue({ maxDepth: 2 })),
      fc.constantFrom<unknown>(absent, null, [1], "x"),
    ),
    version: rarely("2026-07-28", "2025-11-25", "2027-01-01", 7, absent),
    versionHeader: rarely("2026-07-28", "2025-11-25", "2027-01-01", absent),
    client: rarely({ name: "by-hand", version: "1" }, absent, { name: 7 }, "x"),
    capabilities: rarely({}, { roots: {} }, absent, [], 7),
    cursor: rarely(absent, "x", 7),
    progress: rarely(absent, {}),
    state: rarely(absent, "x"),
    accept: rarely("application/json, text/event-stream", "application/json", "text/html", absent),
    again: rarely("", '"id":7,', '"params":{},'),
  })
  .map((part): Sent => {
    const isCall = part.method === "tools/call";
    const _meta = present({
      "io.modelcontextprotocol/protocolVersion": part.version,
      [info]: part.client,
      [capabilities]: part.capabilities,
      progressToken: part.progress,
    });
    const named = isCall ? { name: part.name, arguments: part.input, requestState: part.state } : { cursor: part.cursor };
    const body = present({ jsonrpc: part.jsonrpc, id: part.id, method: part.method, params: present({ ...named, _meta }) });
    const nameHeader =
      part.nameHeader === "same" ? (isCall && /^[\x21-\x7e]+$/.test(String(part.name)) ? part.name : absent) : part.nameHeader;
    const headers = present({
      "content-type": "application/json",
      accept: part.accept,
      "mcp-protocol-version": part.versionHeader,
      "mcp-method": part.header === "same" ? part.method : part.header,
      "mcp-name": nameHeader,
    });
    return { text: `{${part.again}${JSON.stringify(body).slice(1)}`, headers: headers as Record<string, string> };
  });

async function requestOf({ _meta = {}, ...params }: Params, asked = "tools/call"): Promise<Request> {
  const request = modernRequest(asked, params);
  const body = JSON.parse(await request.text());
  Object.assign(body.params._meta, _meta);
  return new Request(request.url, { method: "POST", headers: request.headers, body: JSON.stringify(body) });
}

async function wireOf(params: Params): Promise<Wire> {
  const request = await requestOf(params);
  return { request, headers: new Headers(request.headers), body: (await request.json()) as Wire["body"] };
}

/** What does not differ from one call to the next, of a door of its own. */
async function answerTo(params: Params, method?: string) {
  return said(await open().fetch(await requestOf(params, method)));
}

async function said(response: Response) {
  const text = await response.text();
  const { status, headers } = response;
  return { status, type: headers.get("content-type"), body: withoutChance(text) };
}

const withoutChance = (text: string) =>
  text
    .replace(/"durationMs":[\d.]+/g, '"durationMs":0')
    .replace(/valid until [\d-]+T[\d:.]+Z/g, "valid until then")
    .replace(/"expiresAt":\d+/g, '"expiresAt":0')
    .replace(/(call|apr|art|ask)_[\w-]+/g, "$1_1")
    .replace(/"requestState":"[^"]+"/g, '"requestState":"sealed"');
