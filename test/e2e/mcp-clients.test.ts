import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "../../packages/cli/test/browser.ts";
import { installOnDemand } from "../install-on-demand.ts";
import { PeopleServer, password } from "./people.ts";

const run = promisify(execFile);
const clients = fileURLToPath(new URL("./clients", import.meta.url));
const toolwright = fileURLToPath(new URL("../../packages/cli/bin/toolwright.js", import.meta.url));

let folder: string;
let server: ChildProcess;
let url: string;

beforeAll(async () => {
  await installOnDemand(clients);
  folder = await mkdtemp(join(tmpdir(), "toolwright-clients-"));
  server = spawn(
    process.execPath,
    [toolwright, "serve", "--port", "0", "--tools", join(clients, "tools"), "--workspace", join(folder, "workspace")],
    {
      cwd: folder,
      env: environment(),
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  url = await servedUrl(server);
}, 300_000);

afterAll(async () => {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  await ended;
  await rm(folder, { recursive: true, force: true });
});

function environment() {
  return { ...process.env, XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE, TOOLWRIGHT_STATE: join(folder, "state") };
}

async function servedUrl({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error("The server's output is not read.");
  for await (const line of createInterface({ input: stdout })) {
    const found = /MCP +(\S+)/.exec(line)?.[1];
    if (!found) continue;
    stdout.resume();
    return found;
  }
  throw new Error("The server ended before it said its URL.");
}

/** Runs a client of its own process and reads the JSON that it prints. */
async function drive(script: string, ...parameters: string[]): Promise<{ tools: string[]; sum: unknown; paid: unknown }> {
  const { stdout } = await run(process.execPath, [join(clients, script), url, ...parameters], { cwd: clients });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

describe("clients that ask their person", () => {
  it.each([
    { name: "the official client, 2026-07-28", script: "official.mjs", parameters: ["2026-07-28"] },
    { name: "the official client, 2025-11-25", script: "official.mjs", parameters: ["2025-11-25"] },
    { name: "the AI SDK's client", script: "ai-sdk.mjs", parameters: [] },
  ])("$name lists, calls, and runs a tool that its person approves", async ({ script, parameters }) => {
    const { tools, sum, paid } = await drive(script, ...parameters);
    expect(tools).toEqual(expect.arrayContaining(["add", "file_read", "pay"]));
    expect(sum).toEqual({ sum: 5 });
    expect(paid).toEqual({ text: "Paid Carol." });
  });
});

describe("clients that say they can ask, and have nobody (R-AP-10)", () => {
  it.each([
    { way: "declines", said: "declined the form" },
    { way: "throws", said: "answered with error -32603" },
    { way: "empty", said: "answered with error -32602" },
    { way: "nothing", said: "answered with error -32601" },
  ])("one that $way leaves its call waiting, and it runs once somebody approves it at the command line", async ({ way, said }) => {
    const before = await drive("unattended.mjs", way);
    const text = JSON.stringify(before.paid);
    expect(text).toMatch(/Not run yet/);
    expect(text).toContain(`No person answered: client ${way} 1.0.0 ${said}`);
    const id = /approvals approve (apr_[\w-]+)/.exec(text)?.[1] ?? "";
    await run(process.execPath, [toolwright, "approvals", "approve", id], { cwd: folder, env: environment() });
    expect((await drive("unattended.mjs", way)).paid).toEqual({ text: `Paid ${way}.` });
  });
});

describe("clients that cannot ask", () => {
  it("LangChain's adapter lists, calls, and runs a tool after somebody approves it at the command line", async () => {
    const before = await drive("langchain.mjs");
    expect(before.tools).toEqual(expect.arrayContaining(["add", "file_read", "pay"]));
    expect(before.sum).toMatchObject({ structuredContent: { sum: 5 } });
    const id = /approvals approve (apr_[\w-]+)/.exec(String(before.paid))?.[1] ?? "";
    await run(process.execPath, [toolwright, "approvals", "approve", id], { cwd: folder, env: environment() });
    const after = await drive("langchain.mjs");
    expect(after.paid).toMatchObject({ structuredContent: { text: "Paid Carol." } });
  });

  it("the Inspector lists and calls", async () => {
    const inspect = async (...parameters: string[]) => {
      const cli = join(clients, "node_modules/.bin/mcp-inspector");
      const { stdout } = await run(process.execPath, [cli, "--cli", url, "--transport", "http", ...parameters], { cwd: folder });
      return JSON.parse(stdout);
    };
    const { tools } = await inspect("--method", "tools/list");
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(["add", "file_read", "pay"]));
    const sum = await inspect("--method", "tools/call", "--tool-name", "add", "--tool-arg", "a=2", "b=3");
    expect(sum.structuredContent).toEqual({ sum: 5 });
  });
});

interface Waited {
  readonly result: { readonly structuredContent: { readonly state: string } };
}

describe("a client that goes away", () => {
  const callWait = (ask: boolean, signal?: AbortSignal) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      progressToken: "p",
    };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "wait",
    };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait", arguments: { ask }, _meta } };
    return fetch(url, { method: "POST", headers, body: JSON.stringify(message), ...(signal && { signal }) });
  };

  it("cancels the call that it waited for", async () => {
    const leaving = new AbortController();
    const waiting = await callWait(false, leaving.signal);
    const first = await waiting.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toContain("notifications/progress");
    leaving.abort();
    await expect
      .poll(async () => ((await (await callWait(true)).json()) as Waited).result.structuredContent.state, { timeout: 10_000 })
      .toBe("cancelled");
  });
});

describe("clients that send their person to sign in", () => {
  let people: PeopleServer;
  const ann = new Browser();
  beforeAll(async () => {
    people = await PeopleServer.start();
    const token = new URL(await people.run("users", "invite", "ann@example.org")).searchParams.get("token") ?? "";
    await ann.post(`${people.origin}/auth/accept`, { token, name: "Ann", password });
  });
  afterAll(() => people?.stop());

  it.each([
    { name: "the SDK of version 1, on which most programs stand,", which: "v1" },
    { name: "the AI SDK's client", which: "ai-sdk" },
  ])("$name registers itself, asks for access, and lists the tools", async ({ which }) => {
    const program = spawn(process.execPath, [join(clients, "sign-in.mjs"), `${people.origin}/mcp`, which], {
      cwd: clients,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    const nextLine = async () => String((await lines.next()).value);
    const consent = await ann.follow(await ann.get(await nextLine()), people.origin);
    expect(await consent.answer.text()).toMatch(/Allow access\?.*localhost:53999/s);
    const given = { oauth_query: consent.url.search.slice(1), tenant: "default", answer: "allow" };
    const back = new URL((await ann.post(`${people.origin}/auth/consent`, given)).headers.get("location") ?? "");
    program.stdin.end(`${JSON.stringify(Object.fromEntries(back.searchParams))}\n`);
    expect(JSON.parse(await nextLine())).toContain("file_read");
  });
});
