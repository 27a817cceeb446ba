import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testIdentity } from "../testing/test-identity.ts";
import { createDial, type DialTarget } from "./dial.ts";
import { publicDocuments } from "./public-documents.ts";

const publicAddress = "93.184.216.34";
const server = createServer(testIdentity, (request, response) => {
  received.push(JSON.stringify(request.headers));
  if (request.url === "/silent") return;
  if (request.url === "/redirect") response.writeHead(302, { location: "https://127.0.0.1/" });
  response.end(request.url === "/large" ? "x".repeat(10_000) : "{}");
});
const received: string[] = [];
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Every name is public, and every socket ends at the server above. */
function reader(answers: readonly string[] = [publicAddress], timeoutMs = 5_000) {
  const dialled: DialTarget[] = [];
  const { port } = server.address() as AddressInfo;
  const read = publicDocuments({
    maxBytes: 5_000,
    timeoutMs,
    resolve: async () => answers,
    async connect(target) {
      dialled.push(target);
      const socket = connectTls({ host: "127.0.0.1", port, servername: target.host, ca: [testIdentity.cert] });
      await once(socket, "secureConnect");
      return socket;
    },
  });
  return { read, dialled };
}

test("reads what a public https address says, and says nothing of who asks", async () => {
  const { read, dialled } = reader();
  const answer = await read("https://secure.example/client.json");
  expect(answer).toMatchObject({ status: 200, truncated: false });
  expect(dialled).toMatchObject([{ address: publicAddress, host: "secure.example", port: 443, secure: true }]);
  expect(received.at(-1)).not.toMatch(/authorization|cookie|referer|origin/i);
});

test("follows no redirect, and keeps no more than it may", async () => {
  const { read, dialled } = reader();
  expect((await read("https://secure.example/redirect")).status).toBe(302);
  expect(dialled).toHaveLength(1);
  const large = await read("https://secure.example/large");
  expect(large).toMatchObject({ truncated: true });
  expect(large.body.byteLength).toBe(5_000);
});

test.each([
  ["a plain address", "http://secure.example/client.json", [publicAddress]],
  ["this machine", "https://127.0.0.1/client.json", [publicAddress]],
  ["this machine by another notation", "https://2130706433/client.json", [publicAddress]],
  ["a name of this machine", "https://localhost/client.json", ["127.0.0.1"]],
  ["a name that points inside", "https://inside.example/client.json", ["10.0.0.1"]],
  ["a name that points outside and inside", "https://both.example/client.json", [publicAddress, "169.254.169.254"]],
  ["a password", "https://ann:secret@secure.example/", [publicAddress]],
])("refuses %s before any socket is opened (R-NW-2)", async (_, url, answers) => {
  const { read, dialled } = reader(answers);
  await expect(read(url)).rejects.toMatchObject({ code: "url_refused" });
  expect(dialled).toEqual([]);
});

test("gives up on a server that says nothing", async () => {
  await expect(reader([publicAddress], 300).read("https://secure.example/silent")).rejects.toMatchObject({ code: "timeout" });
});

test("believes no certificate of a stranger", async () => {
  const { port } = server.address() as AddressInfo;
  const dial = createDial();
  const read = publicDocuments({
    maxBytes: 5_000,
    timeoutMs: 5_000,
    resolve: async () => [publicAddress],
    connect: (target) => dial({ ...target, address: "127.0.0.1", port }),
  });
  await expect(read("https://secure.example/")).rejects.toMatchObject({ code: "connection_failed" });
});
