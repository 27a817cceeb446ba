import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Child, finish, Place, waitForText } from "./run-cli.ts";
import { canSandbox } from "./sandbox-here.ts";

const sandboxed = await canSandbox();

let place: Place;
beforeEach(async () => {
  place = await Place.make("embedded");
});
afterEach(() => place.remove());

const freely = "version: 1\nautonomy: full\ncommands: { mode: full, block_high_risk: false, approve_medium_risk: false }\n";

interface Server {
  readonly child: Child;
  readonly mcp: string;
  readonly banner: string;
}

async function serve(...args: string[]): Promise<Server> {
  const child = place.start(["serve", "--port", "0", ...args]);
  const banner = await waitForText(child, /Stop it with Ctrl\+C/);
  return { child, banner, mcp: /MCP +(\S+)/.exec(banner)?.[1] ?? "" };
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** One request of a 2026-07-28 client. */
function request(mcp: string, method: string, params: Record<string, unknown> = {}, signal?: AbortSignal): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
  };
  const name = typeof params.name === "string" ? { "mcp-name": params.name } : {};
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } });
  return fetch(mcp, { method: "POST", headers: { ...headers, ...name }, body, ...(signal && { signal }) });
}

async function answerOf(response: Response): Promise<{ result?: Record<string, unknown>; error?: unknown }> {
  const text = await response.text();
  const last = text.startsWith("{")
    ? text
    : (text
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .at(-1)
        ?.slice(6) ?? "{}");
  return JSON.parse(last);
}

async function toolNames(mcp: string): Promise<string[]> {
  const { result } = await answerOf(await request(mcp, "tools/list"));
  return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

const greet = (words: string) => `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { greeting } from "./greeting.ts";
export default defineTool({
  name: "greet",
  description: "Greets one person by name, for tests of this server.",
  input: z.object({ name: z.string().describe("Who is greeted") }),
  output: z.object({ text: z.string() }),
  run: ({ name }) => ({ text: \`\${greeting}${words} \${name}\` }),
});
`;

async function writeGreet(words = ","): Promise<void> {
  await mkdir(place.path("tools"), { recursive: true });
  await writeFile(place.path("tools/greeting.ts"), 'export const greeting: string = "Hello";\n');
  await writeFile(place.path("tools/greet.tool.ts"), greet(words));
}

test("the server says where it is, what it serves, and the line that it offers to try works", async () => {
  const { child, banner, mcp } = await serve();
  for (const line of [
    /MCP +http:\/\/127\.0\.0\.1:\d+\/mcp/,
    /Workspace +\S+\/workspace/,
    /Tools +\d+/,
    /Policy +the built-in default/,
    /Sandbox +\S+/,
    /^ {2}toolwright install claude$/m,
  ])
    expect(banner).toMatch(line);
  const curl = /^ {2}curl[\s\S]*?}'$/m.exec(banner)?.[0] ?? "";
  expect(execFileSync("bash", ["-c", curl], { encoding: "utf8" })).toContain('"file_read"');
  const config = JSON.parse(/\{"mcpServers".*$/m.exec(banner)?.[0] ?? "") as { mcpServers: { toolwright: { url: string } } };
  expect(config.mcpServers.toolwright.url).toBe(mcp);
  child.kill("SIGTERM");
});

test("people get a page, machines get health, and nothing else is there", async () => {
  const { mcp } = await serve();
  const page = await fetch(new URL("/", mcp), { headers: { accept: "text/html" } });
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).toContain(`<code>${mcp}</code>`);
  expect(await (await fetch(new URL("/", mcp))).text()).toContain(`MCP     ${mcp}\n`);
  expect(await (await fetch(new URL("/health", mcp))).json()).toMatchObject({ status: "ok", sandbox: expect.any(String) });
  expect((await fetch(new URL("/other", mcp))).status).toBe(404);
  expect((await fetch(new URL("/health", mcp), { method: "POST" })).status).toBe(405);
});

test("a taken port is said, with another one to take", async () => {
  const holder = createServer();
  const port = await new Promise<number>((resolve) =>
    holder.listen(0, "127.0.0.1", () => resolve((holder.address() as { port: number }).port)),
  );
  try {
    const { code, err } = await place.run(["serve", "--port", String(port)]);
    expect(err).toContain(`Port ${port} of 127.0.0.1 is taken by another program. Stop that, or choose another: --port ${port + 1}`);
    expect(code).toBe(69);
  } finally {
    holder.close();
  }
});

describe("off loopback", () => {
  test("R-MC-3: it does not listen without a token", async () => {
    const { code, err } = await place.run(["serve", "--port", "0", "--host", "0.0.0.0"]);
    expect(err).toMatch(/would let others on the network use the tools\. Make a token with toolwright token/);
    expect(code).toBe(2);
  });

  test("R-MC-6: with a token only its bearer is served", async () => {
    const { mcp } = await serve("--token", "0123456789abcdef0123456789abcdef");
    expect((await request(mcp, "tools/list")).status).toBe(401);
  });
});

test.runIf(sandboxed)("R-AU-7: SIGTERM ends the server with exit code 0 within its limit, also while a call runs", async () => {
  await writeFile(place.path("policy.yaml"), freely);
  const { child, mcp } = await serve("--policy", "policy.yaml");
  const call = request(mcp, "tools/call", { name: "exec", arguments: { command: "sleep 4141" } }).then(answerOf, () => undefined);
  await expect.poll(() => processesWith("sleep 4141").length, { timeout: 10_000 }).toBeGreaterThan(0);
  const ended = finish(child);
  const startedAt = performance.now();
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(9_000);
  expect(processesWith("sleep 4141")).toEqual([]);
  await call;
});

describe.runIf(sandboxed)("nothing is left running", () => {
  const tree = "bash tree.sh";
  beforeEach(async () => {
    await mkdir(place.path("workspace"));
    await writeFile(
      place.path("workspace/tree.sh"),
      "sleep 4343 & (sleep 4343 & sleep 4343) & setsid sleep 4343 & nohup sleep 4343 & wait\n",
    );
    await writeFile(place.path("policy.yaml"), freely);
  });

  test("R-EX-10, pain 15: when the server is killed without a word", async () => {
    const { child, mcp } = await serve("--policy", "policy.yaml");
    const call = request(mcp, "tools/call", { name: "exec", arguments: { command: tree } }).catch(() => undefined);
    await expect.poll(() => processesWith("sleep 4343").length, { timeout: 10_000 }).toBeGreaterThanOrEqual(5);
    child.kill("SIGKILL");
    await expect.poll(() => processesWith("sleep 4343"), { timeout: 2_000 }).toEqual([]);
    await call;
  });

  test("R-EX-10: when the client goes away", async () => {
    const { mcp } = await serve("--policy", "policy.yaml");
    const client = new AbortController();
    const call = request(mcp, "tools/call", { name: "exec", arguments: { command: tree } }, client.signal).then(
      (response) => response.text(),
      () => undefined,
    );
    await expect.poll(() => processesWith("sleep 4343").length, { timeout: 10_000 }).toBeGreaterThanOrEqual(5);
    client.abort();
    await call.catch(() => undefined);
    await expect.poll(() => processesWith("sleep 4343"), { timeout: 10_000 }).toEqual([]);
    expect((await fetch(new URL("/health", mcp))).status).toBe(200);
  });
});

describe("a folder of tools, while the server runs", () => {
  test("a new tool appears, a change of it or of what it imports is taken, a broken one is told, a removed one goes", async () => {
    const { child, mcp } = await serve();
    const call = async () =>
      (await answerOf(await request(mcp, "tools/call", { name: "greet", arguments: { name: "Ann" } }))).result?.structuredContent;
    expect(await toolNames(mcp)).not.toContain("greet");

    await writeGreet();
    await expect.poll(() => toolNames(mcp), { timeout: 10_000 }).toContain("greet");
    expect(await call()).toEqual({ text: "Hello, Ann" });

    await writeFile(place.path("tools/greeting.ts"), 'export const greeting: string = "Good morning";\n');
    await expect.poll(call, { timeout: 10_000 }).toEqual({ text: "Good morning, Ann" });

    const told = waitForText(child, /Left out \(load_failed\): .*broken\.tool\.ts/);
    await writeFile(place.path("tools/broken.tool.ts"), "export default {{{");
    await told;
    expect(await call()).toEqual({ text: "Good morning, Ann" });

    await rm(place.path("tools/greet.tool.ts"));
    await expect.poll(() => toolNames(mcp), { timeout: 10_000 }).not.toContain("greet");
  });

  test("a stdio client is told of a new tool and can call it", async () => {
    await mkdir(place.path("tools"));
    const child = place.start(["mcp", "--tools", "tools"]);
    const client = new StdioClient(child);
    await client.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } });
    client.notify("notifications/initialized");
    await client.request("tools/list", {});
    const changed = client.waitFor("notifications/tools/list_changed");
    await writeGreet();
    await changed;
    await expect.poll(async () => JSON.stringify(await client.request("tools/list", {})), { timeout: 10_000 }).toContain('"greet"');
    expect(await client.request("tools/call", { name: "greet", arguments: { name: "Ann" } })).toMatchObject({
      structuredContent: { text: "Hello, Ann" },
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.stdin.end();
    expect(await ended).toBe(0);
  });
});

/** The least of an MCP client over lines of JSON. */
class StdioClient {
  readonly #child: Child;
  readonly #waiting = new Map<unknown, (message: { result?: unknown; error?: unknown }) => void>();
  #rest = "";
  #count = 0;

  constructor(child: Child) {
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => {
      const lines = (this.#rest + chunk).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = JSON.parse(line) as { id?: number; method?: string; result?: unknown; error?: unknown };
        this.#waiting.get(message.method ?? message.id)?.(message);
      }
    });
  }

  waitFor(key: unknown): Promise<{ result?: unknown; error?: unknown }> {
    return new Promise((resolve) => this.#waiting.set(key, resolve));
  }

  async request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#count;
    const answer = this.waitFor(id);
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { result, error } = await answer;
    if (error) throw new Error(JSON.stringify(error));
    return result;
  }

  notify(method: string): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method })}\n`);
  }
}

/** Process ids of this machine whose command line begins with these words; zombies do not count. */
function processesWith(words: string): string[] {
  const pids = execFileSync("ls", ["/proc"], { encoding: "utf8" })
    .split("\n")
    .filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").startsWith(words);
    } catch {
      return false;
    }
  });
}

test("the policy in force is the operator's, and is named", async () => {
  await mkdir(place.path("home/.config/toolwright"), { recursive: true });
  await writeFile(place.path("home/.config/toolwright/policy.yaml"), "version: 1\ntools: { deny: [exec] }\n");
  const { banner, mcp } = await serve();
  expect(banner).toContain(`Policy     ${place.path("home/.config/toolwright/policy.yaml")}`);
  expect(await toolNames(mcp)).not.toContain("exec");
  expect(await readFile(place.path("home/.config/toolwright/policy.yaml"), "utf8")).toContain("deny");
});
