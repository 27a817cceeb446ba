import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { DialTarget } from "./dial.ts";
import { type GuardedFetchOptions, guardedFetch } from "./guarded-fetch.ts";

const publicAddress = "93.184.216.34";
const received: string[] = [];
const dialled: DialTarget[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
const server = createServer(async (request, response) => {
  received.push(`${request.method} ${request.headers.host} ${request.headers["accept-encoding"]} ${await text(request)}`);
  answer(request, response);
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  received.length = 0;
  dialled.length = 0;
  answer = (_, response) => response.end("Hello.");
});

const network = { deny: [], allowRanges: [] };

/** Every name is public, and every socket ends at the server above. */
const open = (options: Partial<GuardedFetchOptions> = {}) =>
  guardedFetch({
    network,
    resolve: async () => [publicAddress],
    async connect(target) {
      dialled.push(target);
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
      await once(socket, "connect");
      return socket;
    },
    ...options,
  });
const url = "http://models.example/v1/chat";
const post = { method: "POST", headers: { authorization: "Bearer key" }, body: "{}" };

test("an answer is read as it comes, from the checked address", async () => {
  const read = Promise.withResolvers<void>();
  answer = async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("first ");
    await read.promise;
    response.end("second");
  };
  const response = await open()(url, post);
  let said = "";
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    said += piece;
    read.resolve();
  }
  expect([response.status, response.headers.get("content-type"), said]).toEqual([200, "text/event-stream", "first second"]);
  expect(received).toEqual(["POST models.example identity {}"]);
  expect(dialled).toMatchObject([{ address: publicAddress, host: "models.example", port: 80 }]);
});

test.each<[what: string, url: string, options?: Partial<GuardedFetchOptions>]>([
  ["this machine", "http://127.0.0.1/"],
  ["this machine by another notation", "http://2130706433/"],
  ["the metadata of a cloud", "http://169.254.169.254/latest"],
  ["a name that points inside", url, { resolve: async () => ["10.0.0.1"] }],
  ["a name that points outside and inside", url, { resolve: async () => [publicAddress, "169.254.169.254"] }],
  ["a port that is not the web's", "http://models.example:8080/"],
  ["a password", "http://ann:secret@models.example/"],
  ["another protocol", "file:///etc/passwd"],
  ["a host that the policy denies", url, { network: { ...network, deny: ["models.example"] } }],
  ["a host that the policy does not name", url, { network: { ...network, allow: ["other.example"] } }],
  ["a name of this server", url, { ownHosts: ["MODELS.example."] }],
])("%s is refused before any socket is opened", async (_, refused, options) => {
  await expect(open(options)(refused, post)).rejects.toMatchObject({ code: "url_refused" });
  expect(dialled).toEqual([]);
});

test("what the policy opens is reached", async () => {
  const opened = { deny: [], allow: ["127.0.0.1:9000"], allowRanges: ["127.0.0.0/8"] };
  expect(await (await open({ network: opened })("http://127.0.0.1:9000/")).text()).toBe("Hello.");
});

test("a redirect is the answer, and is not followed", async () => {
  answer = (_, response) => response.writeHead(307, { location: "http://127.0.0.1/" }).end();
  expect((await open()(url, post)).status).toBe(307);
  expect(received).toHaveLength(1);
});

test("an answer that is too long breaks off, and its connection ends", async () => {
  const left = Promise.withResolvers<void>();
  answer = (_, response) => {
    const write = () => {
      while (!response.destroyed && response.write("x".repeat(10_000)));
    };
    response.on("drain", write).on("close", () => left.resolve());
    write();
  };
  const response = await open({ maxBytes: 100_000 })(url);
  await expect(response.text()).rejects.toMatchObject({ code: "response_too_large" });
  await left.promise;
});

test.each<[what: string, stop: (response: Response, abort: () => void) => unknown]>([
  ["an abort", (_, abort) => abort()],
  ["a reader that leaves", ({ body }) => body?.cancel()],
])("%s ends the connection", async (_, stop) => {
  const left = Promise.withResolvers<void>();
  answer = (_request, response) => response.on("close", () => left.resolve()).write("first");
  const leaving = new AbortController();
  await stop(await open()(url, { ...post, signal: leaving.signal }), () => leaving.abort());
  await left.promise;
});

test("what may pass is said as fetch says it", async () => {
  const lost = expect.objectContaining({ name: "TypeError", message: "fetch failed" });
  await expect(open({ resolve: async () => [] })(url)).rejects.toEqual(lost);
  await expect(open({ connect: () => Promise.reject(new Error("refused")) })(url)).rejects.toEqual(lost);
  answer = (_, response) => {
    response.write("half");
    setImmediate(() => response.destroy());
  };
  await expect((await open()(url)).text()).rejects.toMatchObject({ name: "TypeError", message: "terminated" });
});
