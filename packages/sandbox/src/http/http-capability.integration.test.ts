import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Reach } from "@toolwright/engine";
import { createMemorySecretStore, type HttpRequest, type SecretBinding } from "@toolwright/engine/ports";
import { afterEach, describe, expect, test, vi } from "vitest";
import { allowed, createCallSite } from "../testing/call-site.ts";
import { openScriptedWeb } from "../testing/scripted-web.ts";
import { testIdentity } from "../testing/test-identity.ts";
import { createDial, type DialTarget } from "./dial.ts";
import { type HttpCapabilityOptions, httpCapability } from "./http-capability.ts";

const publicAddress = "93.184.216.34";

interface Setup extends HttpCapabilityOptions {
  readonly redirects?: readonly { status: number; location: string }[];
  readonly site?: Parameters<typeof createCallSite>[0];
  readonly effect?: Parameters<ReturnType<typeof httpCapability>["open"]>[0];
}

/** A capability whose every name is public and whose sockets all end at one scripted server. */
async function setUp({ redirects = [], site, effect = "write", ...options }: Setup = {}) {
  const web = await openScriptedWeb(redirects);
  const dialled: DialTarget[] = [];
  const provider = httpCapability({
    resolve: async () => [publicAddress],
    connect(target) {
      dialled.push(target);
      return web.connect();
    },
    ...options,
  });
  const callSite = createCallSite(site);
  const http = provider.open(effect, callSite);
  return { http, web, dialled, callSite, [Symbol.asyncDispose]: () => web[Symbol.asyncDispose]() };
}

describe("R-NW-2 only checked addresses are dialled", () => {
  test("each request resolves anew, and no socket is kept from the one before", async () => {
    const answers = [[publicAddress], [publicAddress], ["10.0.0.1"]];
    await using scene = await setUp({ resolve: async () => answers.shift() ?? [] });
    await scene.http.request({ url: "http://rebind.example/" });
    await scene.http.request({ url: "http://rebind.example/" });
    await expect(scene.http.request({ url: "http://rebind.example/" })).rejects.toMatchObject({ code: "url_refused" });
    expect(scene.dialled.map(({ address }) => address)).toEqual([publicAddress, publicAddress]);
  });

  test("each hop is resolved, checked and dialled on its own", async () => {
    await using scene = await setUp({
      redirects: [{ status: 302, location: "http://b.example/" }],
      resolve: async (host) => [host === "b.example" ? "8.8.8.8" : publicAddress],
    });
    const response = await scene.http.request({ url: "http://a.example/" });
    expect(scene.dialled.map(({ host, address }) => `${host} ${address}`)).toEqual([`a.example ${publicAddress}`, "b.example 8.8.8.8"]);
    expect(response).toMatchObject({ url: "http://b.example/", redirects: ["http://b.example/"], status: 200 });
  });

  test.each([
    ["a path in other letters", "/Z\u00fcrich/\u6771\u4eac", { status: 200, url: "http://a.example/Z%C3%BCrich/%E6%9D%B1%E4%BA%AC" }],
    ["an address in other digits", "http://127\u30020\u30020\u30021/", { code: "url_refused" }],
  ])("a redirect to %s is judged as it is meant", async (_name, location, expected) => {
    await using scene = await setUp({ redirects: [{ status: 302, location }] });
    expect(await scene.http.request({ url: "http://a.example/" }).catch((error: unknown) => error)).toMatchObject(expected);
  });

  test("when an address does not answer, the next checked one is dialled", async () => {
    await using web = await openScriptedWeb();
    await using scene = await setUp({
      resolve: async () => [publicAddress, "8.8.8.8"],
      connect: ({ address }) => (address === "8.8.8.8" ? web.connect() : Promise.reject(new Error("unreachable"))),
    });
    expect(await scene.http.request({ url: "http://a.example/" })).toMatchObject({ status: 200 });
  });

  test("a refusal of a name does not tell the private address", async () => {
    await using scene = await setUp({ resolve: async () => ["10.9.8.7"] });
    const error = await scene.http.request({ url: "http://intranet.example/" }).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: "url_refused", message: expect.stringContaining("not public") });
    expect(JSON.stringify([String(error), error])).not.toContain("10.9.8.7");
  });

  test("a real server on loopback is reached when the policy opens its port and range, and only then", async () => {
    await using web = await openScriptedWeb();
    const url = `http://127.0.0.1:${web.port}/`;
    const network = { deny: [], allow: [`127.0.0.1:${web.port}`], allowRanges: ["127.0.0.0/8"] };
    expect(await httpCapability().open("read", createCallSite({ network })).request({ url })).toMatchObject({ status: 200 });
    const closed = httpCapability().open("read", createCallSite({ network: { ...network, allowRanges: [] } }));
    await expect(closed.request({ url })).rejects.toMatchObject({ code: "url_refused" });
    expect(web.received).toHaveLength(1);
  });
});

describe("R-NW-3 time, redirects, headers and bytes are bounded", () => {
  test.each([
    ["an answer that never begins", "/silent", { timeoutMs: 100 }, { code: "timeout" }],
    ["a body that stops half-way", "/slow", { timeoutMs: 100 }, { code: "timeout" }],
    ["a megabyte of headers", "/header", {}, { code: "response_too_large" }],
  ])("%s is refused", async (_name, path, limits, error) => {
    await using scene = await setUp();
    await expect(scene.http.request({ url: `http://a.example${path}`, ...limits })).rejects.toMatchObject(error);
  });

  test.each([
    ["ten gibibytes behind gzip", "/bomb"],
    ["a body without end", "/endless"],
  ])("%s is cut at maxBytes, and said so", async (_name, path) => {
    await using scene = await setUp();
    const response = await scene.http.request({ url: `http://a.example${path}`, maxBytes: 100_000 });
    expect(response.truncated).toBe(true);
    expect(response.body.byteLength).toBe(100_000);
  });

  test("a resolver that never answers meets the time limit", async () => {
    await using scene = await setUp({ resolve: () => new Promise(() => {}) });
    await expect(scene.http.request({ url: "http://a.example/", timeoutMs: 50 })).rejects.toMatchObject({ code: "timeout" });
  });

  test("the sixth redirect ends the request, whatever the caller allows", async () => {
    const redirects = Array.from({ length: 9 }, (_, index) => ({ status: 302, location: `/${index}` }));
    await using scene = await setUp({ redirects });
    await expect(scene.http.request({ url: "http://a.example/", maxRedirects: 50 })).rejects.toMatchObject({ code: "too_many_redirects" });
    expect(scene.web.received).toHaveLength(6);
  });

  test("with maxRedirects 0 the redirect is the answer", async () => {
    await using scene = await setUp({ redirects: [{ status: 302, location: "http://10.0.0.1/" }] });
    expect(await scene.http.request({ url: "http://a.example/", maxRedirects: 0 })).toMatchObject({ status: 302, redirects: [] });
  });

  test("the end of the call ends the request", async () => {
    const ending = new AbortController();
    await using scene = await setUp({ site: { signal: ending.signal } });
    const request = scene.http.request({ url: "http://a.example/silent" });
    await vi.waitUntil(() => scene.web.received.length === 1, 5_000);
    ending.abort(new Error("the call is over"));
    await expect(request).rejects.toThrow("the call is over");
  });
});

describe("R-NW-4 what is meant for one origin does not reach another", () => {
  const secrets = { authorization: "Bearer canary", Cookie: "a=canary", "X-Api-Key": "canary", Accept: "text/plain" };

  test("credentials, cookies and unknown headers are dropped across origins, harmless ones are not", async () => {
    await using scene = await setUp({ redirects: [{ status: 302, location: "http://b.example/" }] });
    await scene.http.request({ url: "http://a.example/", headers: secrets });
    expect(JSON.stringify(scene.web.received[0]?.headers)).toContain("canary");
    expect(JSON.stringify(scene.web.received[1]?.headers)).not.toContain("canary");
    expect(scene.web.received[1]?.headers).toMatchObject({ host: "b.example", accept: "text/plain" });
  });

  test("they stay within the origin", async () => {
    await using scene = await setUp({ redirects: [{ status: 302, location: "/next" }] });
    await scene.http.request({ url: "http://a.example/", headers: secrets });
    expect(scene.web.received[1]?.headers).toMatchObject({ authorization: "Bearer canary", cookie: "a=canary" });
  });

  test.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "PUT", "GET", ""],
    [307, "POST", "POST", "payload"],
    [308, "PUT", "PUT", "payload"],
  ])("a %i after %s continues as %s within the origin", async (status, method, expected, body) => {
    await using scene = await setUp({ redirects: [{ status, location: "/next" }] });
    await scene.http.request({ url: "http://a.example/", method, body: "payload", headers: { "content-type": "text/plain" } });
    expect(scene.web.received[1]).toMatchObject({ method: expected, body });
    expect("content-type" in scene.web.received[1]!.headers).toBe(body !== "");
  });

  test.each([307, 308])("a %i with a body to another origin is not followed but returned", async (status) => {
    await using scene = await setUp({ redirects: [{ status, location: "http://b.example/" }] });
    const response = await scene.http.request({ url: "http://a.example/", method: "POST", body: "payload" });
    expect(response).toMatchObject({ status, headers: { location: "http://b.example/" } });
    expect(scene.web.received).toHaveLength(1);
  });
});

describe("TLS", () => {
  let server: Server;
  afterEach(() => {
    server.close();
    vi.unstubAllEnvs();
  });

  async function openServer() {
    const names: unknown[] = [];
    server = createServer(testIdentity, (_request, response) => response.end("secure"));
    server.on("secureConnection", (socket) => names.push(socket.servername));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const open = (host: string, authorities: readonly string[]) => {
      const network = { deny: [], allow: [`${host}:${port}`], allowRanges: ["127.0.0.1/32"] };
      const http = httpCapability({ resolve: async () => ["127.0.0.1"], connect: createDial(authorities) }).open(
        "read",
        createCallSite({ network }),
      );
      return http.request({ url: `https://${host}:${port}/` });
    };
    return { names, open };
  }

  test("the pinned address gets the name for SNI and for the certificate", async () => {
    const { names, open } = await openServer();
    expect(await open("secure.example", [testIdentity.cert])).toMatchObject({ status: 200 });
    expect(names).toEqual(["secure.example"]);
  });

  test("a certificate of another name is refused", async () => {
    const { open } = await openServer();
    await expect(open("other.example", [testIdentity.cert])).rejects.toMatchObject({
      code: "connection_failed",
      message: expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID"),
    });
  });

  test("R-NW-4 NODE_TLS_REJECT_UNAUTHORIZED does not switch the check off", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const { open } = await openServer();
    await expect(open("secure.example", [])).rejects.toMatchObject({ code: "connection_failed" });
  });

  test("a literal address is checked against the certificate too", async () => {
    const { open } = await openServer();
    expect(await open("127.0.0.1", [testIdentity.cert])).toMatchObject({ status: 200 });
  });
});

describe("pain #21 a lost answer is said to be in doubt", () => {
  const post: HttpRequest = { url: "http://a.example/drop", method: "POST", body: "pay" };

  test.each<[string, Setup, HttpRequest, object]>([
    ["a POST whose socket closes", {}, post, { code: "connection_failed", details: { sent: true } }],
    [
      "a POST that meets the time limit",
      {},
      { ...post, url: "http://a.example/silent", timeoutMs: 100 },
      { code: "connection_failed", details: { sent: true, reason: "timeout" } },
    ],
    [
      "a POST whose redirect is refused",
      { redirects: [{ status: 303, location: "ftp://b.example/" }] },
      { ...post, url: "http://a.example/" },
      { code: "connection_failed", details: { sent: true, reason: "url_refused" } },
    ],
    [
      "a POST that was never sent",
      { connect: () => Promise.reject(new Error("refused")) },
      post,
      { code: "connection_failed", details: undefined },
    ],
    ["a GET whose socket closes", {}, { url: post.url }, { code: "connection_failed", details: undefined }],
  ])("%s", async (_name, setup, request, expected) => {
    await using scene = await setUp(setup);
    await expect(scene.http.request(request)).rejects.toMatchObject(expected);
    expect(scene.web.received.length).toBeLessThan(2);
  });
});

describe("the effect and the policy narrow the handle", () => {
  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("a handle for reading refuses %s", async (method) => {
    await using scene = await setUp({ effect: "read" });
    await expect(scene.http.request({ url: "http://a.example/", method })).rejects.toMatchObject({ code: "effect_refused" });
    expect(scene.dialled).toEqual([]);
  });

  test("the tool's own hosts hold on every hop", async () => {
    await using scene = await setUp({
      effect: { access: "read", hosts: ["a.example"] },
      redirects: [{ status: 302, location: "http://b.example/" }],
    });
    await expect(scene.http.request({ url: "http://a.example/" })).rejects.toMatchObject({
      code: "url_refused",
      message: expect.stringContaining("only a.example"),
    });
    expect(scene.dialled).toHaveLength(1);
  });

  test.each(["ask", "deny"] as const)("a hop that the policy answers with %s is not sent", async (effect) => {
    const reaches: Reach[] = [];
    const judge = (reach: Reach) => {
      reaches.push(reach);
      return reaches.length > 1 ? { ...allowed, effect, reason: "The second host is not permitted." } : allowed;
    };
    await using scene = await setUp({ site: { judge }, redirects: [{ status: 302, location: "http://b.example/x" }] });
    await expect(scene.http.request({ url: "http://a.example" })).rejects.toMatchObject({ code: "url_refused" });
    expect(reaches).toEqual([
      { kind: "request", url: "http://a.example", method: "GET" },
      { kind: "request", url: "http://b.example/x", method: "GET" },
    ]);
    expect(scene.dialled).toHaveLength(1);
  });
});

describe("R-NW-5 a secret is sent only to hosts that it is bound to", () => {
  function storeWith({ origins = ["https://a.example"], ...how }: Partial<SecretBinding> = {}) {
    const secrets = createMemorySecretStore();
    void secrets.set({ tenant: "tenant_test", name: "API_TOKEN" }, "canary", { hosts: origins, ...how });
    return secrets;
  }
  const secrets = storeWith();

  test.each<[string, Partial<SecretBinding>, string, string]>([
    ["as a bearer token", {}, "authorization", "Bearer canary"],
    ["bare in a header of its own", { header: "x-api-key" }, "x-api-key", "canary"],
    ["as the password of a user", { user: "ann" }, "authorization", "Basic YW5uOmNhbmFyeQ=="],
  ])("the bound host gets it %s, the tool does not, and it is tainted", async (_name, of, header, value) => {
    await using scene = await setUp({ secrets: storeWith(of) });
    await scene.http.request({ url: "https://a.example/", credential: "API_TOKEN" });
    expect(scene.web.received[0]?.headers[header]).toBe(value);
    expect(scene.callSite.tainted).toEqual(["canary"]);
  });

  test.each([
    ["another host", "https://b.example/", "API_TOKEN", "url_refused"],
    ["a name below the host", "https://x.a.example/", "API_TOKEN", "url_refused"],
    ["another port", "https://a.example:444/", "API_TOKEN", "url_refused"],
    ["plain http", "http://a.example/", "API_TOKEN", "url_refused"],
    ["an unknown secret", "https://a.example/", "OTHER", "secret_missing"],
  ])("%s is refused before anything is sent", async (_name, url, credential, code) => {
    await using scene = await setUp({ secrets });
    await expect(scene.http.request({ url, credential })).rejects.toMatchObject({ code });
    expect(scene.dialled).toEqual([]);
  });

  test.each(["user-agent", "host", "content-length"])(
    "one that is bound to the header %s, which leaves the origin or is not its own, is not sent",
    async (header) => {
      await using scene = await setUp({ secrets: storeWith({ header }) });
      await expect(scene.http.request({ url: "https://a.example/", credential: "API_TOKEN" })).rejects.toMatchObject({
        code: "secret_missing",
      });
      expect(scene.dialled).toEqual([]);
    },
  );

  test.each([{}, { header: "x-api-key" }])("a redirect to another origin goes without it, and so does one back", async (of) => {
    const redirects = [
      { status: 302, location: "https://b.example/" },
      { status: 302, location: "https://a.example/" },
    ];
    await using scene = await setUp({ secrets: storeWith(of), redirects });
    await scene.http.request({ url: "https://a.example/", credential: "API_TOKEN" });
    const [first, ...later] = scene.web.received.map(({ headers }) => JSON.stringify(headers).includes("canary"));
    expect([first, ...later]).toEqual([true, false, false]);
  });

  test("a redirect within the origin goes with it", async () => {
    await using scene = await setUp({ secrets, redirects: [{ status: 302, location: "/next" }] });
    await scene.http.request({ url: "https://a.example/", credential: "API_TOKEN" });
    expect(scene.web.received.map(({ headers }) => headers.authorization)).toEqual(["Bearer canary", "Bearer canary"]);
  });

  test("the tool does not see it when the server sends it back, and what it sent itself it does", async () => {
    const redactBytes = (bytes: Uint8Array) => Buffer.from(Buffer.from(bytes).toString().replaceAll("canary", "[redacted]"));
    const redirects = [{ status: 302, location: "/canary" }];
    await using scene = await setUp({ secrets, redirects: [...redirects, ...redirects], site: { redactBytes } });
    const named = await scene.http.request({ url: "https://a.example/", credential: "API_TOKEN" });
    expect(named).toMatchObject({
      url: "https://a.example/[redacted]",
      redirects: ["https://a.example/[redacted]", "https://a.example/[redacted]"],
    });
    expect(JSON.stringify(named)).not.toContain("canary");
    const own = await scene.http.request({ url: "https://a.example/canary" });
    expect(own.url).toBe("https://a.example/canary");
  });

  test("the call's rules are asked with its name", async () => {
    const reaches: Reach[] = [];
    const judge = (reach: Reach) => {
      reaches.push(reach);
      return allowed;
    };
    await using scene = await setUp({ secrets, site: { judge } });
    await scene.http.request({ url: "https://a.example/", credential: "API_TOKEN" });
    expect(reaches).toEqual([{ kind: "request", url: "https://a.example/", method: "GET", credential: "API_TOKEN" }]);
  });

  test("another tenant's secret is missing", async () => {
    await using scene = await setUp({ secrets, site: { principal: { tenant: "other" } } });
    await expect(scene.http.request({ url: "https://a.example/", credential: "API_TOKEN" })).rejects.toMatchObject({
      code: "secret_missing",
    });
  });
});
