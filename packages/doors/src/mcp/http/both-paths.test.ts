import { defineTool, fail } from "@toolwright/engine";
import fc from "fast-check";
import { afterAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { add, countingTool, greet, modernRequest, openDoor, send } from "../../../test/mcp-client.ts";
import { idempotencyMetaKey } from "../call/call-meta.ts";
import { PlainCalls } from "./plain-call.ts";

const banned = defineTool({
  name: "banned",
  description: "Is refused by the policy.",
  input: z.object({}),
  output: z.object({}),
  run: () => ({}),
});
const long = defineTool({
  name: "long",
  description: "Gives more than a result holds.",
  input: z.object({}),
  output: z.object({ text: z.string() }),
  run: () => ({ text: "x".repeat(200_000) }),
});
const failing = defineTool({
  name: "failing",
  description: "Fails.",
  input: z.object({}),
  output: z.object({}),
  run: () => fail("no", "It did not work.") as never,
});

function open() {
  const tools = [add, greet, failing, banned, long, countingTool().tool];
  return openDoor({ engine: { tools, policy: { deny: ["banned"] } } });
}

/** Each hears the same requests in the same order; the second has no direct path. */
const [direct, layered] = [open(), open()];
afterAll(async () => {
  for (const { door, engine } of [direct, layered]) {
    await door.close();
    await engine.close();
  }
});

interface Wire {
  readonly headers: Record<string, string>;
  readonly text: string;
}

const seen = { plain: 0, layered: 0 };

/** Fails unless both paths answer alike, byte for byte but for ids, times and durations. */
async function compare(wire: Wire): Promise<void> {
  const read = vi.spyOn(PlainCalls.prototype, "answer");
  const plain = await answerOf(direct, wire);
  seen[read.mock.calls.length === 0 ? "layered" : "plain"]++;
  read.mockRestore();
  const closed = vi.spyOn(PlainCalls.prototype, "read").mockReturnValue(undefined);
  const other = await answerOf(layered, wire);
  closed.mockRestore();
  expect(plain).toEqual(other);
}

async function answerOf({ door }: ReturnType<typeof open>, { headers, text }: Wire) {
  const response = await door.fetch(send({ method: "POST", headers, body: text }));
  return { status: response.status, type: response.headers.get("content-type"), body: withoutChance(await response.text()) };
}

const withoutChance = (text: string) =>
  text
    .replace(/x{9,}/g, "xs")
    .replace(/"durationMs":[\d.]+/g, '"durationMs":0')
    .replace(/valid until [\d-]+T[\d:.]+Z/g, "valid until then")
    .replace(/"expiresAt":\d+/g, '"expiresAt":0')
    .replace(/(call|apr|art|ask)_[\w-]+/g, "$1_1")
    .replace(/"requestState":"[^"]+"/g, '"requestState":"sealed"');

const capabilities = "io.modelcontextprotocol/clientCapabilities";
const versionKey = "io.modelcontextprotocol/protocolVersion";
const input = fc.oneof(
  fc.record({ a: fc.oneof(fc.integer(), fc.string()), b: fc.integer() }, { requiredKeys: [] }),
  fc.constant({ to: "Ann" }),
  fc.constant({}),
  fc.jsonValue(),
);
const odd = fc.oneof(fc.jsonValue(), fc.constant("2025-11-25"), fc.constant("loud"));
const name = fc.oneof(fc.constantFrom("add", "greet", "failing", "banned", "pay", "ad", "__proto__", ""), fc.jsonValue());
const id = fc.oneof(fc.integer(), fc.string(), fc.constantFrom(null, 1.5, 2 ** 60, -0, true), fc.jsonValue());
const metaKeys = [
  ...[versionKey, capabilities, "io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/logLevel", "progressToken"],
  ...[idempotencyMetaKey, "traceparent", "tracestate", "baggage", "test.example/other", "__proto__"],
];
const metaKey = fc.constantFrom(...metaKeys);
const header = fc.tuple(
  fc.constantFrom("mcp-method", "mcp-name", "mcp-protocol-version", "accept", "content-type", "mcp-session-id"),
  fc.option(
    fc.constantFrom("tools/call", "tools/list", "add", " add ", "=?base64?YWRk?=", "2026-07-28", "2025-11-25", "*/*", "text/plain"),
    {
      nil: undefined,
    },
  ),
);
/** Most requests are good but for one thing. */
const rarely = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const requests = fc.record({
  method: fc.constantFrom("tools/call", "tools/call", "tools/call", "tools/list", "ping"),
  name: fc.oneof({ weight: 3, arbitrary: fc.constantFrom("add", "greet", "failing", "banned", "pay") }, { weight: 1, arbitrary: name }),
  input,
  id: rarely(id),
  isNotification: fc.nat(9).map((value) => value === 0),
  header: rarely(header),
  meta: rarely(fc.tuple(metaKey, odd)),
  member: rarely(fc.tuple(fc.constantFrom("cursor", "requestState", "inputResponses", "task", "name", "arguments", "__proto__"), odd)),
  twice: rarely(fc.constantFrom('"id":7,', '"method":"ping",', '"params":{},', '"__proto__":{"id":1},')),
});

type Drawn = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

async function wireOf(drawn: Drawn): Promise<Wire> {
  const request = modernRequest(drawn.method, drawn.method === "tools/call" ? { name: drawn.name, arguments: drawn.input } : {});
  const headers = Object.fromEntries(request.headers);
  const body = JSON.parse(await request.text());
  if (drawn.id !== undefined) put(body, "id", drawn.id);
  if (drawn.isNotification) delete body.id;
  if (drawn.meta) put(body.params._meta, ...drawn.meta);
  if (drawn.member) put(body.params, ...drawn.member);
  const [key, value] = drawn.header ?? [];
  if (key && value === undefined) delete headers[key];
  else if (key && value !== undefined) headers[key] = value;
  return {
    headers,
    text: JSON.stringify(body)
      .replace(/^\{/, `{${drawn.twice ?? ""}`)
      .replace(/\}$/, drawn.twice ? `,${drawn.twice.slice(0, -1)}}` : "}"),
  };
}

/** An own member, even under the name of the prototype. */
function put(members: object, key: string, value: unknown): void {
  Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true });
}

const good = {
  "a call that is done": { name: "add", arguments: { a: 1, b: 2 } },
  "a call whose input is repaired": { name: "add", arguments: { a: "1", b: 2 } },
  "a call with a wrong type": { name: "add", arguments: { a: "x", b: 2 } },
  "a call of no tool": { name: "ad", arguments: {} },
  "a call that fails": { name: "failing", arguments: {} },
  "a denied call": { name: "banned", arguments: {} },
  "a call with a long result": { name: "long", arguments: {} },
  "a call that asks in the client": { name: "greet", arguments: {} },
  "a call that waits for a person": { name: "pay", arguments: { to: "Ann" } },
  "a call with a hidden prototype": { name: "add", arguments: JSON.parse('{"a":1,"b":2,"__proto__":{"a":3}}') },
};
it.each(Object.entries(good))("%s is answered alike on both paths", async (_, params) => {
  const request = modernRequest("tools/call", params);
  await compare({ headers: Object.fromEntries(request.headers), text: await request.text() });
});

it.each([{}, { cursor: "YWZ0ZXIgYWRk" }, { cursor: "none" }, { cursor: "" }])(
  "the list of tools after %o is answered alike on both paths",
  async (params) => {
    const before = seen.plain;
    const request = modernRequest("tools/list", params);
    await compare({ headers: Object.fromEntries(request.headers), text: await request.text() });
    expect(seen.plain).toBe(before + 1);
  },
);

const ids = [0, -0, -1, 1.5, 2 ** 53 - 1, 2 ** 53, "", "x", "\u2028", null, true, [], {}, undefined];
it.each(ids)("an id of %o is answered alike on both paths", async (id) => {
  const { headers, text } = await goodWire();
  await compare({ headers, text: JSON.stringify({ ...JSON.parse(text), id }) });
});

const headers = ["mcp-method", "mcp-name", "mcp-protocol-version", "accept", "content-type"];
const values = [undefined, "", "tools/list", "greet", " add ", "ADD", "=?base64?YWRk?=", "2025-11-25", "2027-01-01", "*/*", "text/plain"];
it.each(headers)("any value of the header %s is answered alike on both paths", async (name) => {
  const { headers: given, text } = await goodWire();
  for (const value of values) {
    const { [name]: _, ...others } = given;
    await compare({ headers: value === undefined ? others : { ...others, [name]: value }, text });
  }
});

const marks = [
  undefined,
  null,
  7,
  "",
  "x",
  "loud",
  "info",
  "2025-11-25",
  [],
  {},
  { name: 7 },
  { elicitation: 7 },
  { elicitation: {}, future: true },
];
it.each(metaKeys)("any value of %s in _meta is answered alike on both paths", async (key) => {
  const { headers: given, text } = await goodWire();
  for (const value of marks) {
    const body = JSON.parse(text);
    put(body.params._meta, key, value);
    await compare({ headers: given, text: JSON.stringify(body) });
  }
});

async function goodWire(): Promise<Wire> {
  const request = modernRequest("tools/call", { name: "add", arguments: { a: 1, b: 2 } });
  return { headers: Object.fromEntries(request.headers), text: await request.text() };
}

it("any request is answered alike on both paths, and both are taken", async () => {
  const before = { ...seen };
  await fc.assert(
    fc.asyncProperty(requests, async (drawn) => compare(await wireOf(drawn))),
    { numRuns: 400 },
  );
  expect(seen.plain - before.plain).toBeGreaterThan(40);
  expect(seen.layered - before.layered).toBeGreaterThan(40);
});
