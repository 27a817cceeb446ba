import { connect } from "node:net";
import { WrittenResponse } from "@toolwright/doors/http";
import { afterEach, expect, test } from "vitest";
import { type Listening, type ListenOptions, listen } from "./listen.ts";

const listening: Listening[] = [];
afterEach(async () => {
  for (const each of listening.splice(0)) await each.close(0, async () => {});
});

const requestMs = 150;

async function open(
  limits: Pick<ListenOptions, "headersMs" | "idleMs" | "requestMs"> = { requestMs },
  paths: string[] = [],
): Promise<number> {
  const handle = async (request: Request) => {
    paths.push(new URL(request.url).pathname);
    const { length } = await request.text();
    await new Promise((resolve) => setTimeout(resolve, 2 * requestMs));
    return new Response(`read ${length}`);
  };
  const opened = await listen(handle, { host: "127.0.0.1", port: 0, onError: () => {}, ...limits });
  listening.push(opened);
  return Number(new URL(opened.url).port);
}

/** All that the server says on a connection on which this is sent. */
function say(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => {
      said += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(said));
  });
}

test.each([
  ["of a known length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n0123456789"],
  ["in pieces", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n"],
  ["of many megabytes", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n0123456789"],
  ["that never begins", "POST / HTTP/1.1\r\nHost: a\r\nContent-Le"],
])("a request whose body is slow, %s, ends when its time is over", async (_, text) => {
  expect(await say(await open(), text)).toMatch(/^HTTP\/1\.1 408 /);
});

// RFC 9112, sections 5.1, 6.1 and 6.3: a proxy that reads such a request in another way would pass a second one inside it.
test.each([
  ["two lengths", "Content-Length: 4\r\nContent-Length: 30\r\n\r\n"],
  ["two lengths in one header", "Content-Length: 4, 30\r\n\r\n"],
  ["a length and pieces", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["an unknown coding", "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"],
  ["pieces that are not the last coding", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"],
  ["a negative length", "Content-Length: -1\r\n\r\n"],
  ["a length with a sign", "Content-Length: +4\r\n\r\n"],
  ["a space before the colon", "Content-Length : 4\r\n\r\n"],
  ["a header that goes on in the next line", "X-A: a\r\n Content-Length: 4\r\n\r\n"],
  ["a piece of no size", "Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
])("a request with %s is refused, and what follows it is not read as another", async (_, headers) => {
  const paths: string[] = [];
  const port = await open({ requestMs: 150 }, paths);
  const said = await say(port, `POST /first HTTP/1.1\r\nHost: a\r\n${headers}0123GET /second HTTP/1.1\r\nHost: a\r\n\r\n`);
  expect(said).toMatch(/^HTTP\/1\.1 400 /);
  expect(paths).not.toContain("/second");
});

test("a request that arrived has an answer, however long that takes", async () => {
  const port = await open();
  expect(await say(port, "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\n0123")).toContain("read 4");
});

test("headers that are slow end sooner than a body may take", async () => {
  const port = await open({ requestMs: 60_000, headersMs: 150 });
  expect(await say(port, "POST / HTTP/1.1\r\nHost: a\r\nX-Slow: ")).toMatch(/^HTTP\/1\.1 408 /);
});

test("a connection on which nothing more is asked is closed", async () => {
  const port = await open({ idleMs: 150 });
  expect(await say(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n0123")).toContain("read 4");
});

test("an answer of which the text is there comes as it is, to HEAD without its body, and to all who asked at once", async () => {
  const headers = { "content-type": "application/problem+json", "set-cookie": "a=1" };
  const handle = (request: Request) => {
    const answer = WrittenResponse.json({ asked: new URL(request.url).pathname, word: "über" }, { status: 418, headers });
    answer.headers.append("set-cookie", "b=2");
    return answer;
  };
  const opened = await listen(handle, { host: "127.0.0.1", port: 0, onError: () => {} });
  listening.push(opened);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => fetch(`${opened.url}/${index}`)));
  for (const [index, answer] of answers.entries()) {
    expect(answer.status).toBe(418);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(await answer.json()).toEqual({ asked: `/${index}`, word: "über" });
  }
  const port = Number(new URL(opened.url).port);
  const head = await say(port, "HEAD /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect(head).toMatch(/content-length: 29\r\n/i);
  expect(head.endsWith("\r\n\r\n")).toBe(true);
});
