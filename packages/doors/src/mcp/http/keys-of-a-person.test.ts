import { defineTool, type Principal } from "@toolwright/engine";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ann, countingTool, greet, modernRequest, openDoor, send } from "../../../test/mcp-client.ts";
import { principalKey } from "../../http/owners.ts";

/** Longer than a result may be, so that the rest of it is kept. */
const payroll = defineTool({
  name: "payroll",
  description: "Says what everybody earns.",
  input: z.object({}),
  output: z.object({ text: z.string() }),
  permission: "hr.tenant.read",
  run: () => ({ text: "a salary, ".repeat(50_000) }),
});

const callers: Readonly<Record<string, Principal>> = {
  ann: { ...ann, permissions: ["hr.tenant.read"] },
  narrow: { ...ann, key: "k1" },
  wide: { ...ann, key: "k2", permissions: ["hr.tenant.read"] },
};
const authentication = { open: false, authenticate: (token = "") => callers[token] };

let opened: ReturnType<typeof openDoor>;
beforeEach(() => {
  opened = openDoor({ engine: { tools: [payroll, greet, countingTool().tool] }, door: { authentication } });
});
afterEach(async () => {
  await opened.door.close();
  await opened.engine.close();
});

interface Answer {
  readonly error?: { readonly code: number; readonly data?: unknown };
  readonly result?: {
    readonly requestState?: string;
    readonly resources?: readonly { readonly uri: string }[];
    readonly isError?: boolean;
  };
}

async function ask(token: string, method: string, params: Record<string, unknown> = {}): Promise<Answer> {
  const response = await opened.door.fetch(modernRequest(method, params, { headers: { authorization: `Bearer ${token}` } }));
  return (await response.json()) as Answer;
}

const others = [
  ["ann", "narrow"],
  ["wide", "narrow"],
  ["wide", "ann"],
] as const;

describe.each(others)("what %s did", (one, other) => {
  it(`is not named to ${other}: kept outputs, whose ids nobody guesses`, async () => {
    await ask(one, "tools/call", { name: "payroll", arguments: {} });
    const [kept] = (await ask(one, "resources/list")).result?.resources ?? [];
    expect(kept?.uri).toMatch(/^artifact:/);
    expect((await ask(other, "resources/list")).result?.resources).toEqual([]);
    expect((await ask(one, "resources/read", { uri: kept?.uri })).error).toBeUndefined();
  });

  it.each([
    {
      what: "an approval",
      call: { name: "pay", arguments: { to: "Carol" } },
      inputResponses: { approval: answer({ decision: "approve" }) },
    },
    { what: "a question", call: { name: "greet", arguments: {} }, inputResponses: { name: answer({ name: "Dan" }) } },
  ])(`is not continued by ${other}: a call that waits for $what (R-MC-11)`, async ({ call, inputResponses }) => {
    const requestState = (await ask(one, "tools/call", call)).result?.requestState;
    const foreign = await ask(other, "tools/call", { ...call, requestState, inputResponses });
    expect(foreign.error).toMatchObject({ code: -32602, data: { reason: "invalid_request_state" } });
    const own = await ask(one, "tools/call", { ...call, requestState, inputResponses });
    expect(own).toMatchObject({ result: { resultType: "complete" } });
  });

  it(`is not used by ${other}: a session of 2025 (R-MC-5)`, async () => {
    const id = await openSession(one);
    for (const method of ["POST", "GET", "DELETE"]) expect((await inSession(other, id, method)).status).toBe(404);
    expect((await inSession(one, id, "POST")).status).toBe(200);
  });
});

it("a person without a key keeps the name of their sessions", () => {
  expect(principalKey(ann)).toBe("ca7d7747db8d9c157958a3dfa04c9bda02c9f69063e74be099b3bff5bc1f9197");
  expect(principalKey({ ...ann, agent: "helper" })).toBe("54e39f8a9d7937c676a0375b4a046db238662f10f20f83f10cfb382130cb5aa0");
});

function answer(content: object) {
  return { action: "accept", content };
}

const headersFor = (token: string) => ({
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
});

async function openSession(token: string): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const response = await opened.door.fetch(send({ method: "POST", headers: headersFor(token), body }));
  return response.headers.get("mcp-session-id") ?? "";
}

function inSession(token: string, id: string, method: string): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });
  const headers = { ...headersFor(token), "mcp-session-id": id };
  return opened.door.fetch(send({ method, headers, ...(method === "POST" && { body }) }));
}
