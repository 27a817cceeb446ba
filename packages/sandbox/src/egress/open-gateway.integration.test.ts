import { type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import type { NetworkRules } from "@toolwright/engine/ports";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openScriptedWeb, type ScriptedWeb } from "../testing/scripted-web.ts";
import { type EgressOptions, type Gateway, openGateway } from "./open-gateway.ts";

let web: ScriptedWeb;
let gateway: Gateway | undefined;
beforeEach(async () => {
  web = await openScriptedWeb();
});
afterEach(async () => {
  gateway?.close();
  await web[Symbol.asyncDispose]();
});

const open = (rules: Partial<NetworkRules>, options: EgressOptions = {}) => {
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const resolve = async () => ["127.0.0.1"];
  gateway = openGateway({ allow: [`a.example:${web.port}`], deny: [], allowRanges: ["127.0.0.0/8"], ...rules }, owner, {
    resolve,
    ...options,
  });
  return gateway;
};

interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** One request in absolute form, as clients send it to a proxy. */
const ask = ({ socket: socketPath }: Gateway, path: string, { method = "GET", headers = {}, body }: Asking = {}) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = request({ socketPath, path, method, headers }, (answer: IncomingMessage) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    });
    sent.on("error", reject).end(body);
  });

const tunnel = ({ socket: socketPath }: Gateway, path: string) =>
  new Promise<number>((resolve, reject) => {
    const sent = request({ socketPath, method: "CONNECT", path });
    sent.on("connect", (answer, socket) => {
      socket.destroy();
      resolve(answer.statusCode ?? 0);
    });
    sent.on("error", reject).end();
  });

test("a request arrives with its method and body, and without what was for the proxy", async () => {
  const headers = { host: "inner.example", "proxy-authorization": "Basic x", connection: "x-mine", "x-mine": "1", "x-kept": "2" };
  const answer = await ask(open({}), `http://a.example:${web.port}/p?q=1`, { method: "POST", headers, body: "sent" });
  expect(answer).toEqual({ status: 200, body: "hello" });
  expect(web.received).toMatchObject([
    { method: "POST", path: "/p?q=1", body: "sent", headers: { host: `a.example:${web.port}`, "x-kept": "2" } },
  ]);
  expect(Object.keys(web.received[0]!.headers)).not.toEqual(expect.arrayContaining(["proxy-authorization"]));
  expect(web.received[0]!.headers["x-mine"]).toBeUndefined();
});

test("R-NW-2 a redirect is not followed: its target is judged when the run asks for it", async () => {
  await web[Symbol.asyncDispose]();
  web = await openScriptedWeb([{ status: 302, location: "http://10.0.0.1/" }]);
  expect((await ask(open({}), `http://a.example:${web.port}/`)).status).toBe(302);
});

test.each([
  ["a path alone", "/etc/passwd", 403],
  ["another scheme", "ftp://a.example/", 403],
  ["https without a tunnel", "https://a.example/", 403],
  ["user information", "http://a.example@b.example/", 403],
  ["a host that a rule denies", "http://no.example/", 403],
])("%s is refused with a reason", async (_what, url, status) => {
  const answer = await ask(open({ allow: ["*"], deny: ["no.example"] }), url);
  expect(answer.status).toBe(status);
  expect(answer.body).toMatch(/refused|Only http URLs/);
  expect(web.received).toEqual([]);
});

test.each(["a.example", "a.example:443/x", ":443", "a.example:99999", "a.example:443@b.example:443", "http://a.example:443"])(
  "the tunnel target %j opens nothing",
  async (target) => {
    expect(await tunnel(open({ allow: ["b.example"] }), target)).toBe(403);
  },
);

test("a name of this server is refused, also in a tunnel, whatever the rules permit", async () => {
  const opened = open({}, { ownHosts: ["b.example", "A.Example."] });
  const answer = await ask(opened, `http://a.example:${web.port}/`);
  expect(answer).toMatchObject({ status: 403, body: expect.stringContaining("a.example is a name of this server itself") });
  expect(await tunnel(opened, `a.example:${web.port}`)).toBe(403);
  expect(web.received).toEqual([]);
});

test("a denied host is refused without advice to permit it", async () => {
  const opened = open({ allow: ["*"], deny: ["no.example"] });
  await ask(opened, "http://no.example/");
  const [anomaly] = opened.close().anomalies;
  expect(anomaly?.message).toContain('denied by the rule "no.example"');
  expect(anomaly?.message).not.toContain("To permit it");
});

test("R-NW-3 a run that has used up its bytes is cut off, and told", async () => {
  const opened = open({}, { maxBytes: 1_000_000 });
  await expect(ask(opened, `http://a.example:${web.port}/endless`)).rejects.toThrow();
  expect((await ask(opened, `http://a.example:${web.port}/`)).status).toBe(403);
  const { anomalies, traffic } = opened.close();
  expect(anomalies[0]?.message).toMatch(/more than 1000000 bytes/);
  expect(traffic[0]?.received).toBeLessThan(2_000_000);
});

test("R-NW-3 a connection without a byte for too long is closed", async () => {
  await expect(ask(open({}, { idleMs: 100 }), `http://a.example:${web.port}/silent`)).resolves.toMatchObject({ status: 502 });
});

test("the log is bounded, whatever names a run makes up", async () => {
  const opened = open({ allow: [] });
  for (let index = 0; index < 250; index++) await ask(opened, `http://h${index}.example/`);
  const { traffic, anomalies } = opened.close();
  expect(traffic.length).toBe(201);
  expect(traffic.reduce((sum, { refused }) => sum + refused, 0)).toBe(250);
  expect(anomalies[0]?.message).toContain("245 more");
  expect(anomalies[0]?.message.length).toBeLessThan(2_000);
});

test("a name that does not resolve is an error of the network, not of the policy", async () => {
  const opened = open({ allow: ["a.example"] }, { resolve: async () => [] });
  expect((await ask(opened, "http://a.example/")).status).toBe(502);
  expect(opened.close()).toMatchObject({ anomalies: [], traffic: [{ host: "a.example", refused: 1 }] });
});

test("closing ends open connections, and nobody connects again", async () => {
  const opened = open({});
  const pending = ask(opened, `http://a.example:${web.port}/silent`);
  while (web.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
  opened.close();
  await expect(pending).rejects.toThrow();
  await expect(new Promise((resolve, reject) => connect(opened.socket).on("connect", resolve).on("error", reject))).rejects.toThrow();
});

test("what a server sent before it closed arrives whole, however slowly it is read", async () => {
  const size = 3_000_000;
  const server = createServer((socket) => socket.end(Buffer.alloc(size, "x")));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const { socket: socketPath } = open({ allow: [`a.example:${port}`] });
  const received = await new Promise<number>((resolve, reject) => {
    const sent = request({ socketPath, method: "CONNECT", path: `a.example:${port}` });
    sent.on("connect", (_answer, socket, head) => resolve(countSlowly(socket, head.length)));
    sent.on("error", reject).end();
  });
  server.close();
  expect(received).toBe(size);
});

async function countSlowly(socket: AsyncIterable<Buffer>, first: number): Promise<number> {
  let bytes = first;
  for await (const chunk of socket) {
    bytes += chunk.length;
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  return bytes;
}

test.each([
  ["a status that is none", "HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n"],
  ["a change of protocol", "HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
  ["no HTTP at all", "hello\r\n\r\n"],
  ["an answer that breaks off", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx"],
])("a server that answers with %s ends that connection and nothing else", async (_what, answer) => {
  const server = createServer((socket) => socket.end(answer));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const opened = open({ allow: [`a.example:${port}`, `a.example:${web.port}`] });
  const outcome = await ask(opened, `http://a.example:${port}/`).catch((error: Error) => error);
  server.close();
  if (!(outcome instanceof Error)) expect(outcome.status).toBe(502);
  expect((await ask(opened, `http://a.example:${web.port}/`)).body).toBe("hello");
});

test("requests that are sent at once on one connection are each judged", async () => {
  const { socket } = open({});
  const raw = `GET http://a.example:${web.port}/ HTTP/1.1\r\nhost: x\r\n\r\nGET http://b.example/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
  const client = connect(socket);
  client.write(raw);
  const answers = (await text(client)).match(/HTTP\/1\.1 \d+/g);
  expect(answers).toEqual(["HTTP/1.1 200", "HTTP/1.1 403"]);
});
