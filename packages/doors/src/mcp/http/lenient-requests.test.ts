import { defineTool } from "@toolwright/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openDoor, send } from "../../../test/mcp-client.ts";

const echo = defineTool({
  name: "echo",
  description: "Gives back what it is given.",
  input: z.object({ text: z.string().nullish() }),
  output: z.object({ text: z.string().nullable().optional() }),
  run: ({ text }) => ({ text }),
});

const opened = openDoor({ engine: { tools: [echo] } });
const client = { name: "c", version: "1" };
const opening = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: client };
const meta2026 = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": client,
  "io.modelcontextprotocol/clientCapabilities": {},
};
let session = "";

async function post(message: object, headers: Readonly<Record<string, string>> = {}) {
  const all = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, ...message });
  const answer = await opened.door.fetch(send({ method: "POST", headers: all, body }));
  return { status: answer.status, text: await answer.text(), session: answer.headers.get("mcp-session-id") ?? "" };
}
const inSession = (message: object) => post(message, { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" });
function in2026({ method, params }: { readonly method: string; readonly params: Readonly<Record<string, unknown>> }) {
  const name = params.name ?? params.uri;
  const named: Readonly<Record<string, string>> = typeof name === "string" ? { "mcp-name": name } : {};
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...named };
  return post({ method, params: { ...params, _meta: meta2026 } }, headers);
}

beforeAll(async () => {
  session = (await post({ method: "initialize", params: opening })).session;
});
afterAll(async () => {
  await opened.door.close();
  await opened.engine.close();
});

describe("a client of 2025", () => {
  test.each(["*/*", "*/*;q=0.8", "text/html, */*;q=0.1", "application/*, text/*", "application/json, text/*;q=0.5"])(
    "that accepts %s is answered",
    async (accept) => {
      expect((await post({ method: "initialize", params: opening }, { accept })).status).toBe(200);
    },
  );

  test.each(["text/html", "application/json", "*/*;q=0"])("that accepts %s is not", async (accept) => {
    expect((await post({ method: "initialize", params: opening }, { accept })).status).toBe(406);
  });

  test.each<[object]>([
    [{ clientInfo: { ...client, title: null, websiteUrl: null, icons: null } }],
    [{ capabilities: { roots: null, sampling: null, elicitation: { form: null }, experimental: null } }],
    [{ _meta: null }],
    [{ _meta: { progressToken: null } }],
  ])("opens a session with null for what is absent: %j", async (params) => {
    expect(await post({ method: "initialize", params: { ...opening, ...params } })).toMatchObject({ status: 200, session: /./ });
  });

  test.each<[string, object | null]>([
    ["ping", null],
    ["tools/list", null],
    ["tools/list", { cursor: null, _meta: null }],
    ["resources/list", { cursor: null }],
    ["tools/call", { name: "echo", arguments: null, task: null, _meta: { progressToken: null } }],
  ])("asks with null for what is absent: %s %j", async (method, params) => {
    const { status, text } = await inSession({ method, params });
    expect([status, text]).toEqual([200, expect.stringContaining('"result"')]);
  });

  test("is told what an opening needs", async () => {
    const { status, text } = await post({ method: "initialize", params: { ...opening, clientInfo: { name: "c" } } });
    expect([status, text]).toEqual([400, expect.stringContaining("clientInfo with a name and a version")]);
  });
});

test("null in the arguments of a tool is a value", async () => {
  const params = { name: "echo", arguments: { text: null } };
  for (const answer of [await inSession({ method: "tools/call", params }), await in2026({ method: "tools/call", params })])
    expect(answer.text).toContain('"structuredContent":{"text":null}');
});

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ["tools/list", { cursor: 5 }, "The tools/list request does not fit. params.cursor: expected string, received number."],
  ["tools/call", { arguments: {} }, "The tools/call request does not fit. params.name: expected string, received undefined."],
  [
    "tools/call",
    { name: "echo", arguments: [] },
    "The tools/call request does not fit. params.arguments: expected record, received array.",
  ],
  ["resources/read", {}, "The resources/read request does not fit. params.uri: expected string, received undefined."],
  ["resources/read", { uri: 5 }, "The resources/read request does not fit. params.uri: expected string, received number."],
])("what does not fit is answered in words, in both eras: %s %j", async (method, params, words) => {
  for (const { text } of [await inSession({ method, params }), await in2026({ method, params })]) {
    const { error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as { readonly error: object };
    expect(error).toEqual({ code: -32602, message: words });
  }
});
