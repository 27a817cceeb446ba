import { afterEach, describe, expect, it } from "vitest";
import { fillTurns } from "../../../test/fill-turns.ts";
import { add, ann, modernRequest, openDoor, send } from "../../../test/mcp-client.ts";
import { type McpDoorOptions, tokenAccess } from "../index.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function open(door: Partial<McpDoorOptions> = {}) {
  const opened = openDoor({ engine: { tools: [add] }, door });
  closing.push(
    () => opened.door.close(),
    () => opened.engine.close(),
  );
  return opened.door;
}

const token = "a-token-of-some-length";
const withToken: Partial<McpDoorOptions> = { authentication: tokenAccess(token, ann), resourceMetadataUrl: "https://example.org/meta" };
const methods = ["POST", "GET", "DELETE"] as const;

/** The same guards stand before every method, streams too. */
function requestOf(method: (typeof methods)[number], headers: Record<string, string>): Request {
  if (method === "POST") return modernRequest("tools/list", {}, { headers });
  return send({ method, headers: { accept: "text/event-stream", "mcp-session-id": "mcp_unknown", ...headers } });
}

const served = { POST: 200, GET: 404, DELETE: 404 };
const rows = [
  { name: "no Origin, own Host", headers: {}, status: undefined },
  { name: "a loopback Origin with another port", headers: { origin: "http://127.0.0.1:3000" }, status: undefined },
  { name: "a foreign Origin (R-MC-1)", headers: { origin: "https://evil.example" }, status: 403 },
  { name: "an opaque Origin (R-MC-1)", headers: { origin: "null" }, status: 403 },
  { name: "an Origin that only begins like ours (R-MC-1)", headers: { origin: "http://localhost.evil.example" }, status: 403 },
  { name: "a foreign Host (R-MC-2)", headers: { host: "evil.example" }, status: 403 },
  { name: "a foreign Host with our port (R-MC-2)", headers: { host: "evil.example:7777" }, status: 403 },
  { name: "a Host with user information (R-MC-2)", headers: { host: "localhost@evil.example" }, status: 403 },
  { name: "IPv6 loopback as Host", headers: { host: "[::1]:7777" }, status: undefined },
];

const forwarded = [
  ...["forwarded", "via", "cdn-loop", "x-forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-server"],
  ...["x-forwarded-port", "x-original-host", "x-original-forwarded-for", "x-real-ip", "x-client-ip", "x-cluster-client-ip"],
  ...["x-azure-clientip", "cf-connecting-ip", "true-client-ip", "fly-client-ip", "x-envoy-external-address", "ngrok-trace-id"],
];

describe.each(methods)("%s", (method) => {
  it.each(rows)("with $name", async ({ headers, status }) => {
    const response = await open().fetch(requestOf(method, headers as Record<string, string>));
    expect(response.status).toBe(status ?? served[method]);
  });

  it.each(forwarded)("with %s, which a proxy adds, only with a token (R-MC-3)", async (name) => {
    const refused = await open().fetch(requestOf(method, { [name]: "any" }));
    expect(refused.status).toBe(403);
    expect(await refused.text()).toMatch(/comes through a proxy\. Give it a token/);
    const guessed = await open().fetch(requestOf(method, { [name]: "any", authorization: "Bearer any-that-nobody-knows" }));
    expect(guessed.status).toBe(403);
    const known = await open(withToken).fetch(requestOf(method, { [name]: "any", authorization: `Bearer ${token}` }));
    expect(known.status).toBe(served[method]);
  });

  it("with other names of its own that begin or end like these, as ever", async () => {
    const headers = { "x-client-version": "1", "x-request-original": "1", "x-skip": "1", "mcp-ngrok": "1" };
    expect((await open().fetch(requestOf(method, headers))).status).toBe(served[method]);
  });

  const tokens = [
    { name: "the token", authorization: `Bearer ${token}`, status: undefined },
    { name: "the token under a lower-case scheme", authorization: `bearer ${token}`, status: undefined },
    { name: "no token", authorization: undefined, status: 401 },
    { name: "another token", authorization: "Bearer another-token-of-that", status: 401 },
    { name: "the beginning of the token", authorization: `Bearer ${token.slice(0, -1)}`, status: 401 },
    { name: "the token and more", authorization: `Bearer ${token}x`, status: 401 },
    { name: "the token as basic credentials", authorization: `Basic ${token}`, status: 401 },
    { name: "two tokens", authorization: `Bearer ${token}, Bearer ${token}`, status: 401 },
  ];
  it.each(tokens)("with $name (R-MC-4)", async ({ authorization, status }) => {
    const response = await open(withToken).fetch(requestOf(method, authorization === undefined ? {} : { authorization }));
    expect(response.status).toBe(status ?? served[method]);
    if (status !== 401) return;
    const challenge = response.headers.get("www-authenticate") ?? "";
    expect(challenge).toContain('resource_metadata="https://example.org/meta"');
    expect(challenge.includes("invalid_token")).toBe(authorization !== undefined);
  });
});

it.each(["access_token", "token"])("refuses %s in the query, even a good one (R-MC-6)", async (name) => {
  const target = `http://localhost:7777/mcp?${name}=${token}`;
  const response = await open(withToken).fetch(send({ method: "GET", headers: { authorization: `Bearer ${token}` } }, target));
  expect(response.status).toBe(400);
});

it("answers 401 and not the reason when authentication itself fails", async () => {
  const failing = { open: false, authenticate: () => Promise.reject(new Error("ldap://secret-host is down")) };
  const response = await open({ authentication: failing }).fetch(modernRequest("tools/list"));
  expect(response.status).toBe(401);
  expect(await response.text()).not.toContain("secret-host");
});

it("never hands the token to a handler (R-MC-7)", async () => {
  const seen: unknown[] = [];
  const door = open({
    ...withToken,
    resources: {
      async list(principal) {
        seen.push(principal);
        return [];
      },
      read: async () => undefined,
    },
  });
  await door.fetch(modernRequest("resources/list", {}, { headers: { authorization: `Bearer ${token}` } }));
  expect(seen).toHaveLength(1);
  expect(JSON.stringify(seen)).not.toContain(token);
});

it("refuses to be opened beyond loopback without authentication (R-MC-3)", () => {
  expect(() => open({ allowedHosts: ["localhost", "tools.example.org"] })).toThrow(/without authentication/);
  expect(() => open({ ...withToken, allowedHosts: ["tools.example.org"] })).not.toThrow();
});

it("refuses a token that can be guessed", () => {
  expect(() => tokenAccess("short", ann)).toThrow(/at least 16/);
});

describe("the body (R-MC-9)", () => {
  const limits = { maxBodyBytes: 1000, maxJsonDepth: 20 };
  const post = (body: NonNullable<RequestInit["body"]>, headers: Record<string, string> = {}) =>
    send({
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body,
      duplex: "half",
    } as RequestInit);
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const bodies = [
    { name: "too large", request: () => post(`"${"x".repeat(1000)}"`), status: 413 },
    { name: "declared too large", request: () => post("{}", { "content-length": "1001" }), status: 413 },
    { name: "too large, in pieces", request: () => post(pieces(11, 100)), status: 413 },
    { name: "nested too deep", request: () => post(`{"a":${nested(20)}}`), status: 400 },
    { name: "not UTF-8", request: () => post(new Uint8Array([0x22, 0xff, 0x22])), status: 400 },
    { name: "not JSON", request: () => post("{"), status: 400 },
    { name: "empty", request: () => post(""), status: 400 },
    { name: "a bare string", request: () => post('"text"'), status: 400 },
    { name: "null", request: () => post("null"), status: 400 },
    { name: "of another type", request: () => post("{}", { "content-type": "text/plain" }), status: 415 },
  ];
  it.each(bodies)("that is $name is answered $status", async ({ request, status }) => {
    const response = await open(limits).fetch(request());
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null });
  });

  it("of 10,000 levels is refused under the usual limits", async () => {
    expect((await open().fetch(post(nested(10_000)))).status).toBe(400);
  });

  it("may hold brackets in strings", async () => {
    const response = await open(limits).fetch(
      modernRequest("tools/call", { name: "add", arguments: { a: 1, b: 2, note: '[[[[[[[[[[[[[[[[[[[[[[[\\"[' } }),
    );
    expect(response.status).toBe(200);
  });
});

it("a request is refused while a thousand of its person wait, and says when to try again", async () => {
  await fillTurns(ann);
  const response = await open(withToken).fetch(modernRequest("tools/list", {}, { headers: { authorization: `Bearer ${token}` } }));
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/requests waiting\. Try again in \d+ s/) } });
});

function pieces(count: number, size: number): ReadableStream<Uint8Array> {
  let left = count;
  return new ReadableStream({
    pull(controller) {
      if (left-- === 0) controller.close();
      else controller.enqueue(new Uint8Array(size).fill(0x20));
    },
  });
}
