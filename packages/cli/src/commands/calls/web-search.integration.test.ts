import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
let searxng: Server;
let asked: (string | undefined)[];
beforeEach(async () => {
  database = await createServerDatabase();
  root = mkdtempSync(join(tmpdir(), "toolwright-search-"));
  asked = [];
  const result = { url: "https://nodejs.org/", title: "Node.js", content: "A <b>runtime</b>.", publishedDate: "2026-01-02T00:00:00" };
  searxng = createServer(({ url }, response) => {
    asked.push(url);
    response.setHeader("content-type", "application/json").end(JSON.stringify({ query: "node", results: [result] }));
  }).listen(0, "127.0.0.1");
  await once(searxng, "listening");
});
afterEach(async () => {
  searxng.closeAllConnections();
  searxng.close();
  rmSync(root, { recursive: true, force: true });
  await database.drop();
});

const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runIn(root, argv, { env: { DATABASE_URL: database.url, ...env } });

it("searches by a SearXNG on this machine that the operator names, and prints what was found", async () => {
  const { port } = searxng.address() as AddressInfo;
  const { out, code } = await run(["call", "web_search", "--query", "node"], { TOOLWRIGHT_SEARXNG_URL: `http://127.0.0.1:${port}` });
  expect(code).toBe(exitCodes.done);
  expect(out).toContain("1. Node.js\n   https://nodejs.org/\n   2026-01-02\n   A runtime.");
  expect(asked).toEqual(["/search?q=node&format=json"]);
});

it("without a provider lists the tool as misconfigured, and says what to set", async () => {
  expect((await run(["tools", "list"])).out).toMatch(/^web_search +.*misconfigured/m);
  const listed = JSON.parse((await run(["tools", "list", "--json"])).out) as { readonly name: string }[];
  expect(listed.find(({ name }) => name === "web_search")).toMatchObject({
    state: "misconfigured",
    change: { kind: "secret", text: expect.stringMatching(/tavily_api_key/) },
  });
  expect((await run(["why", "web_search"])).out).toMatch(/No search provider is set up.*tavily_api_key.*TOOLWRIGHT_SEARXNG_URL/s);
  const { err, code } = await run(["call", "web_search", "--query", "node"]);
  expect([code, err]).toEqual([exitCodes.denied, expect.stringMatching(/hidden by the check capability.*tavily_api_key/)]);
});

it("refuses an address of SearXNG that is none", async () => {
  const { err, code } = await run(["list"], { TOOLWRIGHT_SEARXNG_URL: "search.example" });
  expect([code, err]).toEqual([exitCodes.usage, expect.stringContaining("TOOLWRIGHT_SEARXNG_URL is")]);
});
