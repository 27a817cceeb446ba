import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type CallResult, createEngine, type Principal } from "@toolwright/engine";
import { policyDocument } from "@toolwright/engine/policy";
import { httpCapability } from "@toolwright/sandbox";
import { builtinPermissions, netTools } from "@toolwright/tools";
import { afterEach, describe, expect, test } from "vitest";

const principal: Principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: builtinPermissions, door: "cli" };
let closing: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
});

/** A scope whose every host name is public, and ends at one loopback server. */
async function openScope(answer: RequestListener, policy: object = {}) {
  const server: Server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const http = httpCapability({
    resolve: async (host) => [host === "intranet.example" ? "10.0.0.1" : "93.184.216.34"],
    async connect() {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      return socket;
    },
  });
  const document = policyDocument.parse({ version: 1, ...policy });
  const engine = createEngine({ tools: netTools, capabilities: [http], policy: [{ tier: "platform", document }] });
  closing.push(
    () => server.closeAllConnections(),
    () => engine.close(),
    () => server.close(),
  );
  return engine.scope(principal, { session: "s" });
}

const html =
  (body: string): RequestListener =>
  (_request, response) =>
    response.setHeader("content-type", "text/html; charset=utf-8").end(body);

function done(result: CallResult) {
  if (result.status !== "done") throw new Error(JSON.stringify(result));
  const text = result.content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
  return { output: result.output as Record<string, unknown>, text };
}

describe("web_fetch through the gate", () => {
  test("a page comes as Markdown, with where it came from", async () => {
    const scope = await openScope(html("<html><head><title>News</title></head><body><nav>menu</nav><p>It <b>works</b>.</p></body></html>"));
    const { output, text } = done(await scope.invokeNamed("web_fetch", { url: "https://example.com/news" }));
    expect(output).toMatchObject({ title: "News", kind: "page", text: "It **works**.", nextOffset: null, cut: false });
    expect(text).toContain("https://example.com/news");
  });

  test("a long text comes in parts that join to the whole, and each cut is said", async () => {
    const whole = "0123456789".repeat(5_000);
    const scope = await openScope((_request, response) => response.setHeader("content-type", "text/plain").end(whole));
    let joined = "";
    for (let offset: unknown = 0; offset !== null; ) {
      const { output, text } = done(await scope.invokeNamed("web_fetch", { url: "https://example.com/", offset: offset as number }));
      joined += output.text;
      offset = output.nextOffset;
      if (offset !== null) expect(text).toContain(`of 50000. Go on with offset ${String(offset)}.`);
    }
    expect(joined).toBe(whole);
  });

  test("a page that goes on for ever is cut, and the model is told", async () => {
    const scope = await openScope((_request, response) => {
      response.setHeader("content-type", "text/plain");
      const write = () => {
        while (response.write("x".repeat(65_536)));
        response.once("drain", write);
      };
      write();
    });
    const { output, text } = done(await scope.invokeNamed("web_fetch", { url: "https://example.com/", offset: 2_999_900 }));
    expect(output).toMatchObject({ cut: true, nextOffset: null, totalChars: 3_000_000 });
    expect(text).toContain("its end is missing");
  });

  test.each<[string, RequestListener, string]>([
    ["a PDF", (_request, response) => response.setHeader("content-type", "application/pdf").end("%PDF-1.7"), "not_text"],
    ["a missing page", (_request, response) => response.writeHead(404).end(), "http_status"],
  ])("%s gets a clear failure", async (_name, answer, toolCode) => {
    const scope = await openScope(answer);
    const result = await scope.invokeNamed("web_fetch", { url: "https://example.com/" });
    expect(result).toMatchObject({ status: "failed", error: { code: "tool_failed", toolCode } });
  });

  test("a page that scripts would make is said to be an empty shell, with what reads it", async () => {
    const scope = await openScope(html('<html><body><div id="root"></div><script src="app.js"></script></body></html>'));
    const result = await scope.invokeNamed("web_fetch", { url: "https://example.com/app" });
    expect(result).toMatchObject({ status: "done", notes: [expect.stringMatching(/empty shell.*browser_open/)] });
  });

  test("JSON passes as it is", async () => {
    const scope = await openScope((_request, response) => response.setHeader("content-type", "application/json").end('{"a": 1}'));
    expect(done(await scope.invokeNamed("web_fetch", { url: "https://example.com/a.json" })).output).toMatchObject({
      kind: "json",
      text: '{"a": 1}',
    });
  });

  test("pain #17 a private address fails, and is not told", async () => {
    const scope = await openScope(html("secret"));
    const result = await scope.invokeNamed("web_fetch", { url: "https://intranet.example/" });
    expect(result).toMatchObject({ status: "failed", error: { code: "url_refused" } });
    expect(JSON.stringify(result)).not.toContain("10.0.0.1");
  });

  test("a redirect to a host that the policy denies is not followed", async () => {
    const hosts: unknown[] = [];
    const scope = await openScope(
      ({ headers }, response) => {
        hosts.push(headers.host);
        response.writeHead(302, { location: "https://other.example/" }).end();
      },
      { network: { allow: ["example.com"] } },
    );
    const result = await scope.invokeNamed("web_fetch", { url: "https://example.com/" });
    expect(result).toMatchObject({ status: "failed", error: { code: "url_refused" } });
    expect(hosts).toEqual(["example.com"]);
  });

  test("a URL that the policy denies is denied before anything runs", async () => {
    const scope = await openScope(html(""), { network: { allow: ["example.com"] } });
    expect(await scope.invokeNamed("web_fetch", { url: "https://other.example/" })).toMatchObject({ status: "denied" });
  });
});

describe("http_request through the gate", () => {
  const echo: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      response.writeHead(201, { "content-type": "application/json" });
      response.end(JSON.stringify({ method: request.method, accept: request.headers.accept, body: Buffer.concat(chunks).toString() }));
    });
  };

  test("a POST waits for a person under supervision", async () => {
    const scope = await openScope(echo);
    expect(await scope.invokeNamed("http_request", { url: "https://example.com/", method: "POST", body: "x" })).toMatchObject({
      status: "pending",
    });
  });

  test("method, headers of one name and body arrive, and the status is an answer", async () => {
    const scope = await openScope(echo, { autonomy: "full" });
    const headers = [
      { name: "Accept", value: "a/b" },
      { name: "accept", value: "c/d" },
    ];
    const { output } = done(
      await scope.invokeNamed("http_request", { url: "https://example.com/", method: "PUT", headers, body: "payload" }),
    );
    expect(output).toMatchObject({ status: 201, encoding: "text", truncated: false });
    expect(JSON.parse(String(output.body))).toEqual({ method: "PUT", accept: "a/b, c/d", body: "payload" });
  });

  test("a body that is not text comes in base64, cut at maxBytes and said so", async () => {
    const scope = await openScope((_request, response) => response.setHeader("content-type", "image/png").end(Buffer.alloc(100, 7)), {
      autonomy: "full",
    });
    const { output } = done(await scope.invokeNamed("http_request", { url: "https://example.com/p.png", maxBytes: 10 }));
    expect(output).toMatchObject({ encoding: "base64", body: Buffer.alloc(10, 7).toString("base64"), bytes: 10, truncated: true });
  });

  test("pain #21 a POST whose answer is lost ends as unknown", async () => {
    const scope = await openScope((_request, response) => response.destroy(), { autonomy: "full" });
    expect(await scope.invokeNamed("http_request", { url: "https://example.com/pay", method: "POST", body: "x" })).toMatchObject({
      status: "unknown",
    });
  });

  test("a header that belongs to the connection is refused", async () => {
    const scope = await openScope(echo, { autonomy: "full" });
    const result = await scope.invokeNamed("http_request", {
      url: "https://example.com/",
      headers: [{ name: "Host", value: "169.254.169.254" }],
    });
    expect(result).toMatchObject({ status: "failed", error: { code: "url_refused" } });
  });
});
