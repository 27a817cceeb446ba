import { defineTool, fail, ToolwrightError } from "@toolwright/engine";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { add, countingTool, greet, modernRequest, openDoor } from "../../../test/mcp-client.ts";
import { idempotencyMetaKey } from "../call/call-meta.ts";
import { PlainCalls } from "./plain-call.ts";

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

function open() {
  const tools = [add, greet, failing, throwing, picture, countingTool().tool];
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

describe("a plain call", () => {
  it.each(Object.entries(cases))("%s is answered as by the protocol layer", async (_, params) => {
    const read = vi.spyOn(PlainCalls.prototype, "answer");
    const plain = await answerTo(params);
    expect(read).toHaveBeenCalledOnce();
    const layered = await answerTo(veiled(params));
    expect(read).toHaveBeenCalledOnce();
    expect(plain).toEqual(layered);
  });

  const odd: Record<string, (request: Wire) => void> = {
    "a batch": (wire) => Object.assign(wire, { body: [wire.body] }),
    "no id": ({ body }) => void delete body.id,
    "an id that is none": ({ body }) => void Object.assign(body, { id: 1.5 }),
    "another version of JSON-RPC": ({ body }) => void Object.assign(body, { jsonrpc: "1.0" }),
    "arguments that are no object": ({ body }) => void Object.assign(body.params, { arguments: [1] }),
    "a name that is none": ({ body }) => void Object.assign(body.params, { name: 7 }),
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
    const read = vi.spyOn(PlainCalls.prototype, "answer");
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

async function requestOf({ _meta = {}, ...params }: Params): Promise<Request> {
  const request = modernRequest("tools/call", params);
  const body = JSON.parse(await request.text());
  Object.assign(body.params._meta, _meta);
  return new Request(request.url, { method: "POST", headers: request.headers, body: JSON.stringify(body) });
}

async function wireOf(params: Params): Promise<Wire> {
  const request = await requestOf(params);
  return { request, headers: new Headers(request.headers), body: (await request.json()) as Wire["body"] };
}

/** What does not differ from one call to the next, of a door of its own. */
async function answerTo(params: Params) {
  const response = await open().fetch(await requestOf(params));
  const text = await response.text();
  const { status, headers } = response;
  return { status, type: headers.get("content-type"), body: JSON.parse(withoutChance(text)) };
}

const withoutChance = (text: string) =>
  text
    .replace(/"durationMs":[\d.]+/g, '"durationMs":0')
    .replace(/valid until [\d-]+T[\d:.]+Z/g, "valid until then")
    .replace(/"expiresAt":\d+/g, '"expiresAt":0')
    .replace(/(call|apr|art|ask)_[\w-]+/g, "$1_1")
    .replace(/"requestState":"[^"]+"/g, '"requestState":"sealed"');
