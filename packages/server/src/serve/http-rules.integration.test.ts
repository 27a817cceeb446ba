import { request } from "node:http";
import { connect } from "node:net";
import { createMcpDoor, openAccess, tokenAccess } from "@toolwright/doors/mcp";
import { createEngine } from "@toolwright/engine";
import { afterEach, expect, test, vi } from "vitest";
import type { FetchHandler } from "./http-rules.ts";
import { type Listening, listen as open } from "./listen.ts";

const opened: Listening[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close(0, async () => {});
});

async function listen(handle: FetchHandler, onError: (error: unknown) => void = () => {}): Promise<{ url: string; port: number }> {
  const listening = await open(handle, { host: "127.0.0.1", port: 0, onError });
  opened.push(listening);
  return { url: listening.url, port: Number(new URL(listening.url).port) };
}

test("method, path, headers and body reach the handler, and its answer the client", async () => {
  const { url } = await listen(async (received) =>
    Response.json(
      { method: received.method, path: new URL(received.url).pathname, header: received.headers.get("x-a"), body: await received.text() },
      { status: 201, headers: { "x-b": "c" } },
    ),
  );
  const response = await fetch(`${url}/a%20b?c`, { method: "POST", headers: { "x-a": "b" }, body: "text" });
  expect([response.status, response.headers.get("x-b")]).toEqual([201, "c"]);
  expect(await response.json()).toEqual({ method: "POST", path: "/a%20b", header: "b", body: "text" });
});

test("a body of several megabytes arrives whole, both ways", async () => {
  const { url } = await listen((received) => new Response(received.body));
  const text = "0123456789".repeat(500_000);
  expect(await (await fetch(url, { method: "POST", body: text })).text()).toBe(text);
});

test("the head of a stream goes out before its first event", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const { url } = await listen(() => new Response(readable));
  const response = await fetch(url);
  const writer = writable.getWriter();
  void writer.write(new TextEncoder().encode("late"));
  const { value } = (await response.body?.getReader().read()) ?? {};
  expect(new TextDecoder().decode(value)).toBe("late");
});

test("a client that goes away aborts the request's signal", async () => {
  let signal: AbortSignal | undefined;
  const { url } = await listen((received) => {
    signal = received.signal;
    return new Promise(() => {});
  });
  const client = request(url).on("error", () => {});
  client.end();
  await vi.waitFor(() => expect(signal).toBeDefined());
  client.destroy();
  await vi.waitFor(() => expect(signal?.aborted).toBe(true), 5000);
});

test("a client that leaves a stream cancels it", async () => {
  const cancel = vi.fn();
  const { url } = await listen(
    () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1000)), cancel })),
  );
  const client = new AbortController();
  const response = await fetch(url, { signal: client.signal });
  await response.body?.getReader().read();
  client.abort();
  await vi.waitFor(() => expect(cancel).toHaveBeenCalled(), 5000);
});

test("a client that breaks off while it sends leaves a server that serves", async () => {
  const read = vi.fn();
  const { url, port } = await listen(async (received) => {
    if (received.method === "POST") await received.text().catch(read);
    return new Response("served");
  });
  const socket = connect(port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nstart");
  const unread = connect(port, "127.0.0.1");
  unread.write("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nstart");
  await new Promise((resolve) => unread.once("data", resolve));
  socket.destroy();
  unread.destroy();
  await vi.waitFor(() => expect(read).toHaveBeenCalled(), 5000);
  expect(await (await fetch(url)).text()).toBe("served");
});

test("a handler that throws answers 500 without its words", async () => {
  const onError = vi.fn();
  const { url } = await listen(() => Promise.reject(new Error("secret")), onError);
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([500, "Internal error. The server's log says more.\n"]);
  expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: "secret" }));
});

/** The answer to bytes that no client of a library would send. */
function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk));
    socket.on("close", () => resolve(answer));
  });
}

const refused: readonly [name: string, head: string, status: number][] = [
  ["a Host that is no host", "GET / HTTP/1.1\r\nHost: a b", 400],
  ["a Host with a user", "GET / HTTP/1.1\r\nHost: a@127.0.0.1:7820", 400],
  ["a Host with a path", "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:7820/auth/sign-in?", 400],
  ["a Host with a fragment", "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1#", 400],
  ["an empty Host, which would make the path one", "GET /127.0.0.1/mcp HTTP/1.1\r\nHost:", 400],
  ["no Host", "GET / HTTP/1.1", 400],
  ["two Hosts", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost", 400],
  ["an address that is none", "GET /mcp HTTP/1.1\r\nHost: 256.1.1.1", 400],
  ["a port that is none", "GET / HTTP/1.1\r\nHost: localhost:99999", 400],
  ["a whole URL as its target", "GET http://localhost/mcp HTTP/1.1\r\nHost: localhost", 400],
  ["all of the server as its target", "OPTIONS * HTTP/1.1\r\nHost: localhost", 400],
  ["a method that fetch does not know", "TRACE / HTTP/1.1\r\nHost: localhost", 405],
];
test.each(refused)("%s is refused, and nobody is told of a defect", async (_, head, status) => {
  const handle = vi.fn(() => new Response("served"));
  const onError = vi.fn();
  const { port } = await listen(handle, onError);
  expect(await sendRaw(port, `${head}\r\nConnection: close\r\n\r\n`)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(handle).not.toHaveBeenCalled();
  expect(onError).not.toHaveBeenCalled();
});

test.each(["localhost", "tools.example.org:7820", "my_box-1", "127.0.0.1:80", "[::1]:7820", "[::1]"])(
  "the Host %s is served",
  async (host) => {
    const { port } = await listen(({ url }) => new Response(url));
    const answer = await sendRaw(port, `GET //a@b/c HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toContain(`http://${host.replace(/:80$/, "")}//a@b/c`);
  },
);

const version10 = (via = "") => `GET /mcp HTTP/1.0\r\nHost: localhost\r\n${via}Connection: close\r\n\r\n`;
test.each([
  ["HTTP/1.0 gets the Via that its proxy should have sent (RFC 9110 section 7.6.3)", version10(), "1.0 unknown"],
  ["HTTP/1.0 keeps the Via that it has", version10("Via: 1.1 proxy\r\n"), "1.1 proxy"],
  ["HTTP/1.1 gets none", version10().replace("HTTP/1.0", "HTTP/1.1"), "none"],
])("%s", async (_, text, via) => {
  const { port } = await listen(({ headers }) => new Response(`via ${headers.get("via") ?? "none"}.`));
  expect(await sendRaw(port, text)).toContain(`via ${via}.`);
});

test.each([
  ["nobody", 403],
  ["a token", 405],
])("a plain proxy_pass of nginx reaches a server that asks for %s: %i (R-MC-3)", async (asks, status) => {
  const principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "mcp" } as const;
  const token = "a-token-of-at-least-16-characters";
  const authentication = asks === "nobody" ? openAccess(principal) : tokenAccess(token, principal);
  const engine = createEngine({ tools: [] });
  const door = createMcpDoor({ engine, serverInfo: { name: "test", version: "1" }, authentication });
  const { port } = await listen((received) => door.fetch(received));
  const head = `GET /mcp HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nConnection: close`;
  // 405: whoever is served is told that a GET needs a session.
  expect(await sendRaw(port, `${head}\r\n\r\n`)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  await door.close();
  await engine.close();
});
