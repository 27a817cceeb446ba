import { expect, test } from "vitest";
import { NodeRequest } from "./node-request.ts";

const bytes = new TextEncoder().encode('{"grüße": 1}');
const made = (body: Uint8Array | null = bytes, signal = new AbortController().signal) =>
  new NodeRequest(new URL("http://localhost/mcp?a=1"), {
    method: body === null ? "GET" : "POST",
    headers: new Headers({ "content-type": "application/json", "x-a": "b" }),
    signal,
    bytes: body,
  }) as unknown as Request;

const readings: Record<string, (request: Request) => Promise<unknown>> = {
  arrayBuffer: async (request) => new Uint8Array(await request.arrayBuffer()),
  bytes: (request) => request.bytes(),
  text: (request) => request.text(),
  json: (request) => request.json(),
  blob: async (request) => (await request.blob()).text(),
  "its stream": async (request) => new Response(request.body).text(),
  "a copy": (request) => request.clone().text(),
};

test.each(Object.entries(readings))("%s is what a request of the platform gives", async (_, read) => {
  const real = new Request("http://localhost/mcp", { method: "POST", body: bytes });
  expect(await read(made())).toEqual(await read(real));
});

test("it is a request: method, address, headers and the signal as it came", () => {
  const gone = new AbortController();
  const request = made(bytes, gone.signal);
  expect(request).toBeInstanceOf(Request);
  expect([request.method, request.url, request.headers.get("x-a")]).toEqual(["POST", "http://localhost/mcp?a=1", "b"]);
  gone.abort();
  expect(request.signal.aborted).toBe(true);
});

test("a body is read once, and there need not be one", async () => {
  const request = made();
  expect(request.bodyUsed).toBe(false);
  await request.text();
  expect(request.bodyUsed).toBe(true);
  await expect(request.text()).rejects.toThrow(TypeError);
  const streamed = made();
  await new Response(streamed.body).text();
  await expect(streamed.text()).rejects.toThrow(TypeError);
  const empty = made(null);
  expect([empty.body, await empty.text(), empty.bodyUsed]).toEqual([null, "", false]);
});

test("the whole of it can be copied with its body, its headers and its signal", async () => {
  const gone = new AbortController();
  const { whole } = made(bytes, gone.signal) as unknown as NodeRequest;
  const copy = new Request("http://localhost/other", whole);
  expect([copy.headers.get("x-a"), await copy.json()]).toEqual(["b", { grüße: 1 }]);
  gone.abort();
  expect(copy.signal.aborted).toBe(true);
});
