import { afterAll, expect, it, vi } from "vitest";
import { add, modernRequest, openDoor, send } from "../../../test/mcp-client.ts";
import { idempotencyMetaKey } from "../call/call-meta.ts";
import { PlainRequests } from "./plain-requests.ts";

/** Each hears the same requests in the same order, so that what one remembers the other does; the second has no direct path. */
const [direct, layered] = [openDoor({ engine: { tools: [add] } }), openDoor({ engine: { tools: [add] } })];
afterAll(async () => {
  for (const { door, engine } of [direct, layered]) {
    await door.close();
    await engine.close();
  }
});

interface Wire {
  readonly headers: Record<string, string>;
  readonly body: { id?: unknown; params: { _meta: Record<string, unknown> } };
}

/** Fails unless both paths answer alike, byte for byte but for ids and durations. */
async function compare(wire: Wire): Promise<void> {
  const answer = await answerOf(direct, wire);
  const closed = vi.spyOn(PlainRequests.prototype, "read").mockReturnValue(undefined);
  const other = await answerOf(layered, wire);
  closed.mockRestore();
  expect(answer).toEqual(other);
}

async function answerOf({ door }: typeof direct, { headers, body }: Wire) {
  const response = await door.fetch(send({ method: "POST", headers, body: JSON.stringify(body) }));
  return { status: response.status, type: response.headers.get("content-type"), body: withoutChance(await response.text()) };
}

const withoutChance = (text: string) => text.replace(/"durationMs":[\d.]+/g, '"durationMs":0').replace(/call_[\w-]+/g, "call_1");

async function goodWire(): Promise<Wire> {
  const request = modernRequest("tools/call", { name: "add", arguments: { a: 1, b: 2 } });
  return { headers: Object.fromEntries(request.headers), body: (await request.json()) as Wire["body"] };
}

const ids = [0, -0, -1, 1.5, 2 ** 53 - 1, 2 ** 53, "", "x", "\u2028", null, true, [], {}, undefined];
it.each(ids)("an id of %o is answered alike on both paths", async (id) => {
  const { headers, body } = await goodWire();
  await compare({ headers, body: { ...body, id } });
});

const headerNames = ["mcp-method", "mcp-name", "mcp-protocol-version", "accept", "content-type"];
const headerValues = ["", "tools/list", "greet", " add ", "ADD", "=?base64?YWRk?=", "2025-11-25", "2027-01-01", "*/*", "text/plain"];
it.each(headerNames)("any value of the header %s is answered alike on both paths, and none", async (name) => {
  const { headers, body } = await goodWire();
  const { [name]: _, ...others } = headers;
  for (const odd of [{}, ...headerValues.map((value) => ({ [name]: value }))]) await compare({ headers: { ...others, ...odd }, body });
});

const metaKeys = [
  ...["protocolVersion", "clientCapabilities", "clientInfo", "logLevel"].map((key) => `io.modelcontextprotocol/${key}`),
  ...["progressToken", idempotencyMetaKey, "traceparent", "tracestate", "baggage", "test.example/other", "__proto__"],
];
const metaValues = [null, 7, "", "x", "info", "2025-11-25", [], {}, { name: 7 }, { elicitation: 7 }, { elicitation: {}, future: true }];
it.each(metaKeys)("any value of %s in _meta is answered alike on both paths, and none", async (key) => {
  for (const value of [undefined, ...metaValues]) {
    const wire = await goodWire();
    Object.defineProperty(wire.body.params._meta, key, { value, enumerable: true, configurable: true, writable: true });
    await compare(wire);
  }
});
