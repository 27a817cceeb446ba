import type { Telemetry, TracedCall } from "@toolwright/engine/ports";
import { afterEach, expect, it, vi } from "vitest";
import { add, connect, modernRequest, openDoor } from "../../../test/mcp-client.ts";
import { PlainRequests } from "../http/plain-requests.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0).reverse()) await close();
});

/** What the calls of a door go on from. */
function open() {
  const traces: TracedCall["trace"][] = [];
  const telemetry: Telemetry = {
    startCall({ trace }) {
      traces.push(trace);
      return { context: undefined, run: (handler) => handler(), link() {}, end() {} };
    },
  };
  const { door, engine } = openDoor({ engine: { tools: [add], telemetry } });
  closing.push(
    () => door.close(),
    () => engine.close(),
  );
  return { door, traces };
}

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const attributes = { "mcp.method.name": "tools/call", "mcp.protocol.version": "2026-07-28" };
const call = { name: "add", arguments: { a: 1, b: 2 } };

it.each(["direct", "layered"])("a call goes on from the span of its caller on the %s path", async (path) => {
  const { door, traces } = open();
  const answer = vi.spyOn(PlainRequests.prototype, "answer");
  if (path === "layered") vi.spyOn(PlainRequests.prototype, "read").mockReturnValue(undefined);
  for (const meta of [{ traceparent, tracestate: "a=1" }, { traceparent }, { tracestate: "a=1" }, { traceparent: 7 }, {}])
    expect((await door.fetch(modernRequest("tools/call", call, { meta }))).status).toBe(200);
  expect(answer).toHaveBeenCalledTimes(path === "direct" ? 5 : 0);
  expect(traces).toEqual([
    { context: { traceparent, tracestate: "a=1" }, attributes },
    { context: { traceparent }, attributes },
    ...Array.from({ length: 3 }, () => ({ attributes })),
  ]);
});

it("a call in a session of 2025 says the version that was agreed on", async () => {
  const { door, traces } = open();
  const client = await connect(door, { mode: "legacy" });
  await client.callTool({ ...call, _meta: { traceparent } });
  await client.close();
  expect(traces).toEqual([{ context: { traceparent }, attributes: { ...attributes, "mcp.protocol.version": "2025-11-25" } }]);
});
