import type { ServerResponse } from "node:http";
import { EXPLAIN_CATALOGUE } from "@toolwright/engine";
import { builtinPermissions } from "@toolwright/tools";
import { afterEach, describe, expect, test } from "vitest";
import { closeWorlds, done, failure, openWorld, principal } from "./open-search-world.ts";
import { type Answer, braveAnswers, exaAnswers, searxngAnswers, tavilyAnswers } from "./search-answers.ts";

const key = "key-0123456789-abcdef";

afterEach(closeWorlds);

/** Each provider: how it is set up, what it is asked, and what it found. */
const providers = [
  {
    name: "brave",
    secrets: { brave_search_api_key: key },
    answers: braveAnswers,
    results: [
      {
        title: "Node.js 24 & you",
        url: "https://nodejs.org/en/blog/release/v24.0.0",
        snippet: "What is new in Node.js 24.",
        published: "2025-05-06",
      },
      { title: "About", url: "https://nodejs.org/en/about", snippet: "" },
    ],
    asked: {
      method: "GET",
      url: "/res/v1/web/search?q=site%3Anodejs.org+node+24&count=5&result_filter=web&text_decorations=false&freshness=pm",
      headers: { host: "api.search.brave.com", "x-subscription-token": key, accept: "application/json" },
      body: "",
    },
  },
  {
    name: "tavily",
    secrets: { tavily_api_key: key },
    answers: tavilyAnswers,
    results: [
      {
        title: "Lionel Messi Facts | Britannica",
        url: "https://www.britannica.com/facts/Lionel-Messi",
        snippet: "Lionel Messi, an Argentine footballer, is widely regarded as one of the greatest.",
        published: "2024-01-02",
      },
      { title: "Messi", url: "https://example.com/messi", snippet: "" },
    ],
    asked: {
      method: "POST",
      url: "/search",
      headers: { host: "api.tavily.com", authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ query: "node 24", max_results: 5, time_range: "month", include_domains: ["nodejs.org"] }),
    },
  },
  {
    name: "exa",
    secrets: { exa_api_key: key },
    answers: exaAnswers,
    results: [
      {
        title: "A Comprehensive Overview of Large Language Models",
        url: "https://arxiv.org/pdf/2307.06435.pdf",
        snippet: "Such requirements have limited their adoption... … Large models are costly.",
        published: "2023-11-16",
      },
      { title: "example.com", url: "https://example.com/untitled", snippet: "Abstract of the page" },
    ],
    asked: {
      method: "POST",
      url: "/search",
      headers: { host: "api.exa.ai", "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({
        ...{ query: "node 24", numResults: 5, contents: { highlights: true } },
        ...{ startPublishedDate: "2025-12-31T12:00:00.000Z", includeDomains: ["nodejs.org"] },
      }),
    },
  },
  {
    name: "searxng",
    secrets: { searxng_url: "https://search.example.org/searx/" },
    answers: searxngAnswers,
    results: [
      {
        title: "SearXNG documentation",
        url: "https://docs.searxng.org/",
        snippet: "SearXNG is a free internet metasearch engine.",
        published: "2025-02-03",
      },
      { title: "searxng/searxng", url: "https://github.com/searxng/searxng", snippet: "" },
    ],
    asked: {
      method: "GET",
      url: "/searx/search?q=site%3Anodejs.org+node+24&format=json&time_range=month",
      headers: { host: "search.example.org", accept: "application/json" },
      body: "",
    },
  },
] as const;

describe.each(providers)("web_search by $name", ({ name, secrets, answers, results, asked }) => {
  test("asks as the provider documents it, with its key, and gives its results in plain text", async () => {
    const { search, received } = await openWorld({ secrets, answer: answers.found });
    const result = await search({ query: " node 24 ", site: "https://www.nodejs.org/en", freshness: "month", limit: 5 });
    const { output, told } = done(result);
    expect(received).toEqual([{ ...asked, headers: expect.objectContaining(asked.headers) }]);
    expect(output).toEqual({ provider: name, results });
    expect(told).toContain(`1. ${results[0].title}\n   ${results[0].url}\n   ${results[0].published}\n   ${results[0].snippet}`);
    expect(JSON.stringify(result)).not.toContain(key);
  });

  test("finds nothing where the provider does, and says what to do", async () => {
    const { search } = await openWorld({ secrets, answer: answers.empty });
    const { output, told } = done(await search({ query: "qqqq" }));
    expect(output).toEqual({ provider: name, results: [] });
    expect(told).toBe(`${name} found nothing. Word the query otherwise, or leave out site and freshness.`);
  });

  test("gives no more results than were asked for", async () => {
    const { search } = await openWorld({ secrets, answer: answers.found });
    expect(done(await search({ query: "x", limit: 1 })).output.results).toHaveLength(1);
  });

  test.each<[what: string, body: string | object]>([
    ["a page of HTML", "<!doctype html><title>Verifying your browser</title>"],
    ["nothing", ""],
    ["another object", { message: "ok" }],
    ["a list", []],
    ["no object", "null"],
    ["results that are none", { type: "search", results: { a: 1 }, web: { results: "x" } }],
    ["more than is read", `[${"1,".repeat(1_200_000)}1]`],
  ])("says that the answer is odd: %s", async (_, body) => {
    const { search } = await openWorld({ secrets, answer: { status: 200, body } });
    expect(failure(await search({ query: "x" }))).toMatchObject({ code: "tool_failed", toolCode: "search_answer_odd" });
  });

  test("leaves out results that name no page of the web, and says how many", async () => {
    const odd = [
      null,
      7,
      "x",
      {},
      { url: 5 },
      { url: "javascript:alert(1)", title: "x" },
      { url: "/x", title: "x" },
      { url: "https://a.example/", title: 9, page_age: 5 },
    ];
    const { search } = await openWorld({ secrets, answer: { status: 200, body: { results: odd, web: { results: odd } } } });
    const { output, notes } = done(await search({ query: "x" }));
    expect(output.results).toEqual([{ title: "a.example", url: "https://a.example/", snippet: "" }]);
    expect(notes).toEqual([expect.stringContaining(`${name} named 7 more results`)]);
  });

  test("says that it is down, and never that something may have happened", async () => {
    const { search, close } = await openWorld({ secrets });
    await close();
    const refused = failure(await search({ query: "x" }));
    expect(refused).toMatchObject({
      code: "tool_failed",
      toolCode: "search_failed",
      message: expect.stringMatching(/does not answer at .*Try again later/),
    });
    const { search: drop } = await openWorld({ secrets, answer: { status: 503, body: "busy" } });
    expect(failure(await drop({ query: "x" }))).toMatchObject({
      toolCode: "search_failed",
      message: expect.stringContaining("status 503"),
    });
  });

  test("follows no redirect", async () => {
    const { search, received } = await openWorld({
      secrets,
      answer: { status: 302, headers: { location: "https://elsewhere.example/" }, body: "" },
    });
    expect(failure(await search({ query: "x" })).toolCode).toBe("search_failed");
    expect(received).toHaveLength(1);
  });

  test.each([
    ["empty", "", "invalid_input"],
    ["blank", "  \n ", "empty_query"],
    ["of a megabyte", "x".repeat(1_000_000), "invalid_input"],
  ])("refuses a query that is %s before it is sent", async (_, query, code) => {
    const { search, received } = await openWorld({ secrets, answer: answers.found });
    const error = failure(await search({ query }));
    expect([error.code, error.toolCode]).toContain(code);
    expect(received).toEqual([]);
  });
});

describe("what a provider refuses", () => {
  test.each<[what: string, secrets: Readonly<Record<string, string>>, answer: Answer, expected: object]>([
    [
      "Brave the key",
      { brave_search_api_key: key },
      braveAnswers.key,
      { toolCode: "search_key_refused", message: expect.stringContaining("brave_search_api_key") },
    ],
    [
      "Brave the key, as its reference has it",
      { brave_search_api_key: key },
      braveAnswers.keyOfReference,
      { toolCode: "search_key_refused" },
    ],
    [
      "Brave for seconds",
      { brave_search_api_key: key },
      braveAnswers.limit,
      { toolCode: "search_limited", message: expect.stringContaining("Try again in 3 s."), details: { status: 429, retryAfterSeconds: 3 } },
    ],
    ["Brave for the plan", { brave_search_api_key: key }, braveAnswers.quota, { toolCode: "search_quota_used" }],
    [
      "Tavily the key",
      { tavily_api_key: key },
      tavilyAnswers.key,
      { toolCode: "search_key_refused", message: expect.stringContaining("tavily_api_key") },
    ],
    [
      "Tavily for seconds",
      { tavily_api_key: key },
      tavilyAnswers.limit,
      { toolCode: "search_limited", details: { status: 429, retryAfterSeconds: 42 } },
    ],
    ["Tavily for the plan", { tavily_api_key: key }, tavilyAnswers.quota, { toolCode: "search_quota_used", details: { status: 432 } }],
    [
      "Tavily for what is paid",
      { tavily_api_key: key },
      tavilyAnswers.paidQuota,
      { toolCode: "search_quota_used", details: { status: 433 } },
    ],
    ["Exa the key", { exa_api_key: key }, exaAnswers.key, { toolCode: "search_key_refused" }],
    ["Exa for credits", { exa_api_key: key }, exaAnswers.quota, { toolCode: "search_quota_used", details: { status: 402 } }],
    [
      "Exa until a date",
      { exa_api_key: key },
      exaAnswers.limit,
      { toolCode: "search_limited", details: { status: 429, retryAfterSeconds: 90 } },
    ],
    [
      "SearXNG the format",
      { searxng_url: "https://s.example/" },
      searxngAnswers.format,
      { toolCode: "search_format_refused", message: expect.stringContaining("search.formats") },
    ],
    [
      "SearXNG for a while",
      { searxng_url: "https://s.example/" },
      searxngAnswers.limit,
      { toolCode: "search_limited", message: expect.stringContaining("Try again later.") },
    ],
  ])("%s", async (_, secrets, answer, expected) => {
    const { search } = await openWorld({ secrets, answer });
    const result = await search({ query: "x" });
    expect(failure(result)).toMatchObject({ code: "tool_failed", ...expected });
    expect(JSON.stringify(result)).not.toContain(key);
  });

  test("more words than Brave takes", async () => {
    const { search, received } = await openWorld({ secrets: { brave_search_api_key: key } });
    expect(failure(await search({ query: "a ".repeat(51) }))).toMatchObject({
      toolCode: "query_too_long",
      message: expect.stringContaining("50 words"),
    });
    expect(received).toEqual([]);
  });

  test.each(["not an address", "ftp://x.example/", "      "])("an address of SearXNG that is none: %j", async (searxng_url) => {
    const { search } = await openWorld({ secrets: { searxng_url } });
    expect(failure(await search({ query: "x" })).code).toBe("secret_missing");
  });
});

describe("a provider that does not come to an end", () => {
  const secrets = { tavily_api_key: key };

  test.each<[what: string, begin: (response: ServerResponse) => void]>([
    ["never answers", () => {}],
    ["stops in the middle of its answer", (response) => void response.writeHead(200).write('{"results": [')],
  ])("and %s is left after 20 seconds", async (_, begin) => {
    const asked = Promise.withResolvers<void>();
    const { search, clock } = await openWorld({
      secrets,
      respond(response) {
        begin(response);
        asked.resolve();
      },
    });
    const searching = search({ query: "x" });
    await asked.promise;
    await clock.advance(19_999);
    expect(await Promise.race([searching, "asks"])).toBe("asks");
    await clock.advance(1);
    expect(failure(await searching)).toMatchObject({
      toolCode: "search_failed",
      message: "Tavily does not answer at api.tavily.com. Try again later; if it stays so, the operator checks the provider.",
      details: { reason: "timeout" },
    });
  });

  test("and sends 50 MB is read no further than 2 MB", async () => {
    const piece = Buffer.alloc(1_000_000, " ");
    let sent = 0;
    const left = Promise.withResolvers<void>();
    const { search } = await openWorld({
      secrets,
      respond(response) {
        response.once("close", left.resolve);
        const more = () => {
          while (sent < 50 && !response.destroyed) {
            sent += 1;
            if (!response.write(piece)) return void response.once("drain", more);
          }
          response.end();
        };
        more();
      },
    });
    expect(failure(await search({ query: "x" }))).toMatchObject({
      toolCode: "search_answer_odd",
      message: expect.stringContaining("more than 2000000 bytes"),
    });
    await left.promise;
    expect(sent).toBeLessThan(20);
  });
});

describe("which provider is asked", () => {
  const operator = { keys: { tenant: "t", keys: new Map([["tavily_api_key", "operators-key-123"]]) }, searxngUrl: "http://127.0.0.1:8888" };

  test("none: the tool is hidden, and why says what to set", async () => {
    const { engine } = await openWorld({});
    const scope = engine.scope(principal, { session: "s" });
    expect(scope.list().map(({ name }) => name)).not.toContain("web_search");
    const operating = { ...principal, permissions: [...builtinPermissions, EXPLAIN_CATALOGUE] };
    const why = await engine.scope(operating, { session: "s" }).why("web_search", { query: "x" });
    expect(JSON.stringify(why)).toContain("No search provider is set up");
    expect(JSON.stringify(why)).toMatch(/brave_search_api_key.*tavily_api_key.*exa_api_key.*searxng_url.*TOOLWRIGHT_SEARXNG_URL/);
  });

  test("the tenant's own before the operator's, whichever they are", async () => {
    const { search, received } = await openWorld({ secrets: { exa_api_key: key }, operator, answer: exaAnswers.found });
    expect(done(await search({ query: "x" })).output.provider).toBe("exa");
    expect(received[0]?.headers["x-api-key"]).toBe(key);
  });

  test("the operator's key for the operator's tenant alone; others have the operator's SearXNG", async () => {
    const { search, received } = await openWorld({ operator, answer: tavilyAnswers.found, address: "127.0.0.1" });
    await search({ query: "x" }, { ...principal, tenant: "other" });
    expect(received).toMatchObject([{ url: "/search?q=x&format=json", headers: { host: "127.0.0.1:8888" } }]);
    const home = await openWorld({ operator, answer: tavilyAnswers.found });
    expect(done(await home.search({ query: "x" })).output.provider).toBe("tavily");
    expect(home.received[0]?.headers.authorization).toBe("Bearer operators-key-123");
  });

  test("no tenant's key serves another one", async () => {
    const { search, received } = await openWorld({ secrets: { tavily_api_key: key }, answer: tavilyAnswers.found });
    expect(failure(await search({ query: "x" }, { ...principal, tenant: "other" })).code).toBe("tool_not_found");
    expect(received).toEqual([]);
  });

  test("a SearXNG that the tenant names is reached at public addresses alone", async () => {
    const { search, received } = await openWorld({
      secrets: { searxng_url: "http://search.example" },
      address: "127.0.0.1",
      answer: searxngAnswers.found,
    });
    expect(failure(await search({ query: "x" })).code).toBe("url_refused");
    expect(received).toEqual([]);
  });

  test("a host that the policy denies is not asked, and one that it asks about is", async () => {
    const denied = await openWorld({
      secrets: { tavily_api_key: key },
      answer: tavilyAnswers.found,
      policy: { network: { deny: ["api.tavily.com"] } },
    });
    expect(failure(await denied.search({ query: "x" })).code).toBe("url_refused");
    for (const autonomy of ["read_only", "supervised", "full"]) {
      const world = await openWorld({ secrets: { tavily_api_key: key }, answer: tavilyAnswers.found, policy: { autonomy } });
      expect((await world.search({ query: "x" })).status, autonomy).toBe("done");
    }
  });
});
