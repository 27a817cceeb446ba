import { createServer, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { type FetchHandler, nodeListener } from "./node-listener.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(handle: FetchHandler, onError: (error: unknown) => void = () => {}): Promise<{ url: string; port: number }> {
  const server = createServer(nodeListener(handle, onError));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
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

test("a Host header that is no host is refused", async () => {
  const { port } = await listen(() => new Response("served"));
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n"));
    let text = "";
    socket.on("data", (chunk) => (text += chunk));
    socket.on("close", () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
});
