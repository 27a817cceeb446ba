import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { agentTools } from "@toolwright/agents";
import { type AnyTool, defineTool } from "@toolwright/engine";
import { ownPermissions } from "@toolwright/engine/catalogue";
import { silentLogger } from "@toolwright/engine/ports";
import { openTestDatabase, testDatabaseKinds } from "@toolwright/postgres/testing";
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createToolwright, type StoreChoice, type ToolwrightOptions } from "./create-toolwright.ts";

const wordCount = defineTool({
  name: "word_count",
  description: "Count the words of a text file. To read it use file_read.",
  input: z.object({ path: z.string().describe("Path relative to the workspace") }),
  output: z.object({ words: z.int() }),
  effects: { files: "read" },
  run: async ({ path }, { files }) => ({ words: (await files.readLines(path)).text.split(/\s+/).filter(Boolean).length }),
});
const ann = { tenant: "default", actor: { kind: "user", id: "ann" } } as const;

let root = "";
let workspace = "";
const opened: { close(): Promise<void> }[] = [];
const open = async (options: Partial<ToolwrightOptions> = {}) => {
  const toolwright = await createToolwright<readonly AnyTool[], StoreChoice>({
    workspace,
    tools: [wordCount],
    logger: silentLogger,
    ...options,
  });
  opened.push(toolwright);
  return toolwright;
};

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-create-"));
  workspace = join(root, "workspace");
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await rm(root, { recursive: true, force: true });
});

const post = (url: string, authorization?: string) =>
  new Request(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(authorization && { authorization }) },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });

async function connect(url: string, authorization: string, send?: (request: Request) => Promise<Response>): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const options = { requestInit: { headers: { authorization } } };
  const fetch = send && (async (target: string | URL, init?: RequestInit) => send(new Request(target, init)));
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { ...options, ...(fetch && { fetch }) }));
  return client;
}

describe("a Toolwright inside a program", () => {
  it("has an engine that knows the types of the given tools, and the built-in ones", async () => {
    const toolwright = await createToolwright({ workspace, tools: [wordCount], logger: silentLogger });
    opened.push(toolwright);
    await writeFile(join(workspace, "notes.txt"), "three short words");
    const scope = toolwright.engine.scope({ ...ann, permissions: ["entities.workspace_files.read"] });
    const counted = await scope.invoke("word_count", { path: "notes.txt" });
    expect(counted).toMatchObject({ status: "done", output: { words: 3 } });
    if (counted.status === "done") expectTypeOf(counted.output).toEqualTypeOf<{ words: number }>();
    // @ts-expect-error no tool has that name
    expect(await scope.invoke("wordcount", {})).toMatchObject({ status: "failed", error: { code: "tool_not_found" } });
    expect(toolwright.engine.snapshot().find("file_read")).toBeDefined();
  });

  it("serves MCP by fetch, on any path, to whom the program identifies", async () => {
    const toolwright = await open({ identify: (request) => (request.headers.get("authorization") === "Bearer a" ? ann : undefined) });
    await writeFile(join(workspace, "notes.txt"), "two words");
    const client = await connect("http://127.0.0.1/tools/here", "Bearer a", toolwright.fetch);
    expect((await client.callTool({ name: "word_count", arguments: { path: "notes.txt" } })).structuredContent).toEqual({ words: 2 });
    await client.close();
    expect((await toolwright.fetch(post("http://127.0.0.1/mcp", "Bearer b"))).status).toBe(401);
  });

  it("admits nobody while its store is in memory and nobody identifies them, and says why", async () => {
    const { fetch } = await open();
    const response = await fetch(post("http://127.0.0.1/mcp"));
    expect(response.status).toBe(401);
    expect(await response.text()).toMatch(/admits nobody.*Give createToolwright `identify`, or a store that lasts/);
  });

  it("answers every operation that its OpenAPI document lists while its store is in memory, and says which subjects it does without", async () => {
    const told: string[] = [];
    const logger = { log: (_: string, message: string) => void told.push(message) };
    const owner = { ...ann, permissions: ownPermissions, door: "rest" };
    const { api, engine } = await open({ identify: () => owner, logger });
    const document = (await (await api(new Request("http://127.0.0.1/api/openapi.json"))).json()) as { paths: Record<string, object> };
    const listed = engine.subjects.operations.filter(({ route: { method, path } }) => method.toLowerCase() in (document.paths[path] ?? {}));
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(["rooms.list", "agents.list", "keys.list", "memories.list"]));
    expect(listed.filter(({ subject }) => ["accounts", "hooks", "jobs", "schedules"].includes(subject))).toEqual([]);
    const unserved: string[] = [];
    for (const { name, route } of listed.filter(({ route }) => route.follows === undefined)) {
      const path = route.path.replace(/\{\w+\}/g, "none");
      const init = route.method === "GET" ? {} : { body: "{}", headers: { "content-type": "application/json" } };
      const { status } = await api(new Request(`http://127.0.0.1/api${path}`, { method: route.method, ...init }));
      if (status >= 500) unserved.push(`${name}: ${status}`);
    }
    expect(unserved).toEqual([]);
    expect(told.filter((each) => each.startsWith("Not served"))).toEqual([expect.stringContaining("accounts, hooks, jobs, schedules")]);
  });

  it("has API keys of its own while its store is in memory", async () => {
    const { engine, api } = await open();
    const owner = { ...ann, permissions: ownPermissions, door: "rest" };
    const { key } = await engine.operate(owner, "keys.create", { name: "program" });
    const response = await api(new Request("http://127.0.0.1/api/me", { headers: { authorization: `Bearer ${key}` } }));
    expect(await response.json()).toMatchObject({ tenant: "default" });
  });

  it("refuses a request when identify fails, and one for another host", async () => {
    const { fetch } = await open({ identify: () => Promise.reject(new Error("down")) });
    expect((await fetch(post("http://127.0.0.1/mcp"))).status).toBe(401);
    expect((await fetch(post("http://evil.example.org/mcp"))).status).toBe(403);
  });

  it("listens on loopback with /mcp, /api and /health, and nothing else", async () => {
    const toolwright = await open({ identify: () => ann });
    const { url, mcpUrl, close } = await toolwright.listen({ port: 0 });
    expect(new URL(url).hostname).toBe("127.0.0.1");
    const client = await connect(mcpUrl, "Bearer x");
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("word_count");
    await client.close();
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: "ok", calls: "ok" });
    expect((await fetch(url)).status).toBe(404);
    await close();
    await expect(fetch(url)).rejects.toThrow();
    expect((await toolwright.fetch(post(mcpUrl))).status).not.toBe(401);
  });

  it("serves REST below /api, and cancels the call of a client that leaves", async () => {
    const [begun, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const wait = defineTool({
      name: "wait",
      description: "Waits until it is cancelled.",
      input: z.object({}),
      output: z.object({}),
      async run(_, { signal }) {
        signal.addEventListener("abort", () => cancelled.resolve());
        begun.resolve();
        await cancelled.promise;
        return {};
      },
    });
    const toolwright = await open({ tools: [wordCount, wait], policy: "full", identify: () => ann });
    await writeFile(join(workspace, "notes.txt"), "two words");
    const { url } = await toolwright.listen({ port: 0 });
    const callOf = (name: string, input: object) => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(input) };
      return [`${url}/api/tools/${name}/call`, init] as const;
    };
    const counted = await toolwright.api(new Request(...callOf("word_count", { path: "notes.txt" })));
    expect(await counted.json()).toMatchObject({ status: "done", output: { words: 2 } });
    const client = new AbortController();
    const [target, init] = callOf("wait", {});
    const answer = fetch(target, { ...init, signal: client.signal });
    await begun.promise;
    client.abort();
    await expect(answer).rejects.toThrow(/abort/);
    await cancelled.promise;
  });

  it("does not listen where others reach it before its hosts are named, nor once it is closed", async () => {
    const toolwright = await open({ identify: () => ann });
    await expect(toolwright.listen({ port: 0, host: "0.0.0.0" })).rejects.toMatchObject({
      code: "settings_invalid",
      message: expect.stringContaining("allowedHosts"),
    });
    await toolwright.close();
    await expect(toolwright.listen({ port: 0 })).rejects.toMatchObject({ code: "server_unavailable" });
  });

  it("ends what listens when it closes, also twice", async () => {
    const toolwright = await open({ identify: () => ann });
    const { url } = await toolwright.listen({ port: 0 });
    await Promise.all([toolwright.close(), toolwright.close()]);
    await expect(fetch(url)).rejects.toThrow();
  });

  it("knows the tenants of its store alone", async () => {
    const { engine, store } = await open({ workspace: () => workspace });
    const call = () => engine.scope({ ...ann, tenant: "acme" }).invokeNamed("word_count", { path: "no.txt" });
    expect(await call()).toMatchObject({ error: { code: "tenant_not_found" } });
    await store.tenants.ensure("acme");
    expect(await call()).toMatchObject({ error: { code: expect.not.stringMatching("tenant_not_found") } });
  });

  it("keeps its one folder from other tenants, and says what to give", async () => {
    const { engine, store } = await open();
    await store.tenants.ensure("acme");
    expect(await engine.scope({ ...ann, tenant: "acme" }).invokeNamed("word_count", { path: "a" })).toMatchObject({
      error: { code: "workspace_missing", message: expect.stringContaining("Give createToolwright a function as workspace") },
    });
  });

  it.each([
    ["a policy that is none", { policy: { asks: ["a"] } as never }, "policy_invalid"],
    [
      "a tool whose capability nobody provides",
      { tools: [defineTool({ ...wordCount, effects: { stock: "read" } as never })] },
      "definition_invalid",
    ],
    ["a tool named like a built-in one", { tools: [defineTool({ ...wordCount, name: "file_read" })] }, "duplicate_tool"],
  ])("rejects for %s", async (_, options, code) => {
    await expect(open(options)).rejects.toMatchObject({ code });
  });
});

describe("a Toolwright with a store that lasts", () => {
  it("lets go of a turn of an agent when it closes, and goes on with it when it starts again", async () => {
    const test = await openTestDatabase("server");
    const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const wait = defineTool({
      ...{ name: "wait", description: "Waits.", input: z.object({}), output: z.object({ text: z.string() }) },
      async run() {
        begun.resolve();
        await ending.promise;
        return { text: "waited" };
      },
    });
    const options = { tools: [...agentTools, wait], store: { url: test.url ?? "" }, policy: "full" as const };
    const first = await open(options);
    const scope = first.engine.scope({ ...ann, permissions: ["agents:run"] });
    const running = scope.invokeNamed("agent_run", { agent: "assistant", message: "call wait {}" });
    await begun.promise;
    const closed = first.close();
    ending.resolve();
    await closed;
    expect(await running).toMatchObject({ status: "failed", error: { code: "call_handed_over" } });
    const { store, close } = await open(options);
    const turns = () => store.turns.list("default", {});
    await expect.poll(async () => (await turns()).map(({ state }) => state), { timeout: 15_000 }).toEqual(["done"]);
    expect((await turns())[0]?.text).toContain("waited");
    await close();
    await test.cleanup();
  });

  it("refuses one in the workspace, where tools write", async () => {
    await expect(open({ store: { folder: join(workspace, "store") } })).rejects.toMatchObject({
      code: "settings_invalid",
      message: expect.stringContaining("where every tool may write"),
    });
    expect(existsSync(join(workspace, "store"))).toBe(false);
  });

  it.each(testDatabaseKinds)(
    "admits its API keys, lets go of it when nothing can be created, and keeps what is in it: %s",
    async (kind) => {
      const test = await openTestDatabase(kind);
      await test.database.close();
      const store = test.url === undefined ? { folder: test.folder ?? "" } : { url: test.url };
      await expect(open({ store, policy: "all" as never })).rejects.toMatchObject({ code: "policy_invalid" });
      const first = await createToolwright({ workspace, tools: [wordCount], store, logger: silentLogger });
      await first.store.tenants.ensure("shop");
      const { key } = await first.store.openIdentity().createApiKey("shop", { name: "program", permissions: [], by: "test" });
      const statusOf = async ({ fetch }: Pick<typeof first, "fetch">, authorization?: string) =>
        (await fetch(post("http://127.0.0.1/mcp", authorization))).status;
      expect(await statusOf(first)).toBe(401);
      expect(await statusOf(first, "Bearer tw_wrong")).toBe(401);
      expect(await statusOf(first, `Bearer ${key}`)).not.toBe(401);
      await first.close();
      const second = await createToolwright({ workspace, store, logger: silentLogger });
      expect(await second.store.tenants.get("shop")).toBeDefined();
      expect(await statusOf(second, `Bearer ${key}`)).not.toBe(401);
      await second.close();
      await test.cleanup();
    },
  );
});
