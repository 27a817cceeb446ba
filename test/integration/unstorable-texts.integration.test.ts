import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@toolwright/engine";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../packages/cli/test/browser.ts";
import { type ServedHere, serveHere } from "../../packages/cli/test/serve-here.ts";
import { sampleObject } from "./two-tenants/sample-input.ts";

const policy = {
  version: 1,
  autonomy: "full",
  tools: { ask: ["file_delete"] },
  commands: { mode: "full", block_high_risk: false, approve_medium_risk: false },
  sandbox: { mode: "host", network: "host" },
  network: { allow: ["127.0.0.1:1"], allow_ranges: ["127.0.0.0/8"] },
  after_foreign: { outside: "none" },
};

/** Gives and says texts that no column of text holds. */
const tool = `import { defineTool, ToolwrightError } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "odd_texts",
  title: "Odd texts",
  description: "Gives texts that a database cannot hold.",
  input: z.object({ how: z.enum(["member", "name", "notes", "error"]).describe("Where they are.") }),
  output: z.object({}).loose(),
  effects: {},
  async run({ how }, ctx) {
    if (how === "error") throw new ToolwrightError("tool_failed", "It broke at a\\0b.", { details: { at: "a\\0b" } });
    if (how === "notes") for (const say of [ctx.note, (text) => ctx.log("warn", text), (text) => ctx.progress(1, 2, text)]) say("a\\0b");
    return how === "name" ? { "a\\0b": 1 } : { text: "a\\0b", half: "\\ud800" };
  },
});
`;

/** With which each tool goes as far as it can; the other members that it needs are "x". */
const usual: Readonly<Record<string, JsonObject>> = {
  agent_run: { agent: "assistant", message: "Hello." },
  code_run: { program: "return 1" },
  document_read: { path: "here.txt" },
  document_verify: { path: "here.txt", question: "What is in it?" },
  exec: { command: "echo x" },
  file_edit: { path: "here.txt", oldText: "a", newText: "b" },
  file_write: { path: "there.txt", content: "x" },
  git_clone: { url: "https://127.0.0.1:1/x.git" },
  http_request: { url: "http://127.0.0.1:1/", method: "POST", body: "x" },
  knowledge_write: { text: "Some text.", title: "x" },
  memory_save: { content: "x", key: "x" },
  odd_texts: { how: "member" },
  process_write: { id: "x", data: "x" },
  schedule_add: { name: "x", message: "x", agent: "assistant", cron: "0 0 1 1 *" },
};

/** Where the text is, a method of MCP, its parameters, and what goes beside them. */
type Message = [where: string, method: string, params: JsonObject, beside?: JsonObject];

interface Described {
  readonly name: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "nul", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } },
};
const nul = "x\0y";

/** Inputs that are usual but for `text` in one of the members that take a text. */
function* oddInputs({ name, inputSchema }: Described, text: string): Generator<JsonObject> {
  const takesText = ({ type }: { readonly type?: unknown }) => [type].flat().includes("string");
  const base = { ...sampleObject(inputSchema, { text: () => "x", isShort: true }), ...usual[name] };
  for (const [member, schema] of Object.entries(inputSchema.properties ?? {})) if (takesText(schema)) yield { ...base, [member]: text };
}

describe("texts that no database can hold break nothing (U+0000, half of a character)", () => {
  let folder: string;
  let server: ServedHere;
  let key: string;
  let ann: Browser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "toolwright-odd-"));
    await mkdir(join(folder, "tools"));
    await writeFile(join(folder, "tools", "odd_texts.tool.ts"), tool);
    await writeFile(join(folder, "policy.json"), JSON.stringify(policy));
    server = await serveHere(["--auth", "--policy", join(folder, "policy.json"), "--tools", join(folder, "tools")], {}, "embedded");
    ann = await server.person("ann@example.org", { role: "owner" });
    const permissions = ["agents:run", "approvals:answer", "log:read", "*.*.*"];
    key = await server.run("keys", "create", "k", "--user", "ann@example.org", "--permission", ...permissions);
    await rest("/api/tools/file_write/call", { path: "here.txt", content: "a" });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(() => expect(server.said()).not.toMatch(/error:|threw/));

  const send = (path: string, body: unknown, headers = {}) =>
    fetch(server.url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const rest = async (path: string, body?: unknown) => {
    const answer = await send(path, body);
    return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> };
  };

  it("in the input of every tool", async () => {
    const { items } = (await rest("/api/tools")).body as unknown as { readonly items: readonly Described[] };
    expect(items.length).toBeGreaterThan(40);
    const broken: string[] = [];
    for (const each of items)
      for (const input of [...oddInputs(each, nul), ...oddInputs(each, "\ud800y")]) {
        const { status, body } = await rest(`/api/tools/${each.name}/call`, input);
        // What went well is no refusal; what did not says why.
        if (status >= 500 || (status >= 400 && !body.detail)) broken.push(`${each.name} ${JSON.stringify(input)}: ${status}`);
      }
    expect(broken).toEqual([]);
  });

  it.each(["member", "name", "notes", "error"])("in the output of a tool, which is kept: %s", async (how) => {
    const called = await rest("/api/tools/odd_texts/call", { how });
    expect(called.status).toBe(how === "error" ? 422 : 200);
    expect(JSON.stringify(called.body)).toContain(JSON.stringify("a\0b").slice(1, -1));
    // What only reads is written down a moment later.
    await expect
      .poll(async () => JSON.stringify((await rest(`/api/runs/${called.body.callId}`)).body))
      .toContain(JSON.stringify("a\0b").slice(1, -1));
  });

  it("in what tools keep, which is found again", async () => {
    const saved = await rest("/api/tools/memory_save/call", { content: nul, key: "odd" });
    expect(saved.status).toBe(200);
    expect(await rest("/api/tools/memory_get/call", { key: "odd" })).toMatchObject({ body: { output: { content: nul } } });
    const { output } = (await rest("/api/tools/knowledge_write/call", { text: "Some text.", title: nul })).body as {
      output: { documentId: string };
    };
    const got = await rest("/api/tools/knowledge_get/call", { documentId: output.documentId });
    expect(got.body).toMatchObject({ output: { title: nul } });
    await rest("/api/tools/file_write/call", { path: "odd.txt", content: nul });
    expect(await rest("/api/tools/exec/call", { command: "cat odd.txt" })).toMatchObject({ status: 200, body: { status: "done" } });
  });

  const messages: readonly Message[] = [
    ["the name of a tool", "tools/call", { name: nul, arguments: {} }],
    ["arguments", "tools/call", { name: "memory_save", arguments: { content: nul, key: nul } }],
    ["the name of a secret", "tools/call", { name: "http_request", arguments: { url: "http://127.0.0.1:1/", credential: nul } }],
    ["the name of an argument", "tools/call", { name: "memory_save", arguments: { content: "x", [nul]: "x" } }],
    ["text in place of arguments", "tools/call", { name: "memory_save", arguments: nul }],
    ["a key for one run", "tools/call", { name: "memory_save", arguments: { content: "x" } }, { "dev.toolwright/idempotency-key": nul }],
    ["a progress token", "tools/call", { name: "memory_save", arguments: { content: "x" } }, { progressToken: nul }],
    ["a trace", "tools/call", { name: "memory_save", arguments: { content: "x" } }, { traceparent: nul, tracestate: nul, [nul]: nul }],
    [
      "the name of a client",
      "tools/call",
      { name: "memory_save", arguments: { content: "x" } },
      { "io.modelcontextprotocol/clientInfo": { name: nul, version: nul } },
    ],
    ["the state of a question", "tools/call", { name: "file_delete", arguments: { path: "x" }, requestState: nul }],
    [
      "an answer",
      "tools/call",
      { name: "file_delete", arguments: { path: "x" }, inputResponses: { [nul]: { action: "accept", content: { [nul]: nul } } } },
    ],
    ["the address of a resource", "resources/read", { uri: nul }],
    ["the address of an artifact", "resources/read", { uri: `artifact://${nul}` }],
    ["the address of a page", "resources/read", { uri: `ui://${nul}` }],
    ["the name of a prompt", "prompts/get", { name: nul, arguments: { [nul]: nul } }],
    ["a cursor of tools", "tools/list", { cursor: nul }],
    ["a cursor of resources", "resources/list", { cursor: nul }],
    ["the id of a task", "tasks/get", { taskId: nul }],
    ["the answer of a task", "tasks/update", { taskId: nul, inputResponses: { [nul]: {} } }],
    ["the end of a task", "tasks/cancel", { taskId: nul }],
    ["a subscription", "resources/subscribe", { uri: nul }],
    ["what is completed", "completion/complete", { ref: { type: "ref/prompt", name: nul }, argument: { name: nul, value: nul } }],
    ["a level", "logging/setLevel", { level: nul }],
    ["a method", `tools${nul}`, {}],
  ];

  /** The message in the stream or the body of an answer. */
  const heard = async (answer: Response) => {
    const text = await answer.text();
    return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as {
      readonly error?: { readonly code: number };
      readonly result?: JsonObject;
    };
  };
  const accept = { accept: "application/json, text/event-stream" };

  it.each<Message>(messages)("in a message of MCP of 2026-07-28: %s", async (_, method, params, beside) => {
    const name = params.name ?? params.uri ?? params.taskId;
    const named = typeof name === "string" && { "mcp-name": `=?base64?${Buffer.from(name).toString("base64")}?=` };
    const headers = { ...accept, "mcp-protocol-version": "2026-07-28", "mcp-method": method.replace("\0", " "), ...named };
    const body = { jsonrpc: "2.0", id: nul, method, params: { ...params, _meta: { ...meta, ...beside } } };
    const answer = await send("/mcp", body, headers);
    expect(answer.status).toBeLessThan(500);
    const { error, result } = await heard(answer);
    expect(error?.code).not.toBe(-32603);
    expect(JSON.stringify(result ?? {})).not.toContain("tool_error");
  });

  it("in the messages of a session of 2025-11-25", async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: nul, version: nul } };
    const opened = await send("/mcp", { jsonrpc: "2.0", id: nul, method: "initialize", params }, accept);
    await opened.text();
    const headers = { ...accept, "mcp-protocol-version": "2025-11-25", "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    for (const [what, method, each, beside] of messages) {
      const body = { jsonrpc: "2.0", id: nul, method, params: { ...each, ...(beside && { _meta: beside }) } };
      const { error, result } = await heard(await send("/mcp", body, headers));
      expect(error?.code, what).not.toBe(-32603);
      expect(JSON.stringify(result ?? {}), what).not.toContain("tool_error");
    }
    for (const each of [
      { method: "notifications/cancelled", params: { requestId: nul, reason: nul } },
      { method: "notifications/progress", params: { progressToken: nul, progress: 1, message: nul } },
      { id: nul, result: { [nul]: nul } },
    ])
      expect((await send("/mcp", { jsonrpc: "2.0", ...each }, headers)).status).toBe(202);
  });

  const at = (path: string) => `${server.url}/auth/${path}`;
  const visit = (path: string, cookie: string) => fetch(at(path), { headers: { cookie, accept: "text/html" }, redirect: "manual" });
  it.each<[string, () => Promise<Response>]>([
    ["the address of a person", () => ann.post(at("sign-in"), { email: nul, password: "x" })],
    ["a password", () => ann.post(at("sign-in"), { email: "ann@example.org", password: nul })],
    [
      "a question, written twice over",
      () => ann.post(at("sign-in"), { email: "x@example.org", password: "x", oauth_query: "client_id=%00" }),
    ],
    ["the way back, written twice over", () => ann.post(at("sign-in"), { email: "x@example.org", password: "x", return: "/%00" })],
    ["the name of a new person", () => ann.post(at("accept"), { token: "x", name: nul, password: "x" })],
    ["the token of an invitation", () => ann.post(at("accept"), { token: nul })],
    ["the token of a reset", () => ann.post(at("reset"), { token: nul, password: "x" })],
    ["a new password", () => ann.post(at("password"), { current: nul, password: nul })],
    ["a tenant", () => ann.post(at("tenant"), { tenant: nul })],
    ["an address", () => ann.get(at("error?error=%00"))],
    ["an address, written twice over", () => ann.get(at("reset?token=%2500"))],
    ["cookies", () => visit("account", "toolwright.session_token=x%00y.x%00y; toolwright.session_data=%00; toolwright.state=%00; %00=%00")],
  ])("in what is sent to sign in: %s", async (_, ask) => {
    expect((await ask()).status).toBeLessThan(500);
  });

  it.each(["PreToolUse", "PostToolUse", "SessionStart"])("in an event of a coding agent: %s", async (hook_event_name) => {
    const event = {
      hook_event_name,
      session_id: nul,
      cwd: nul,
      tool_name: "Bash",
      tool_use_id: nul,
      tool_input: { command: nul },
      [nul]: nul,
    };
    for (const tool_name of [nul, "Bash", "Read", "mcp__x__y"]) {
      const answer = await send("/hooks/claude-code", {
        text: JSON.stringify({ ...event, tool_name }),
        variables: { CLAUDE_PROJECT_DIR: nul },
      });
      expect(answer.status).toBeLessThan(500);
    }
  });

  it("in files that are sent along", async () => {
    const form = new FormData();
    form.append("path", new File([nul], nul, { type: "text/plain" }));
    form.append("input", JSON.stringify({ question: nul }));
    for (const path of ["/api/tools/document_read/call", "/api/artifacts", "/api/knowledge/documents"]) {
      const answer = await fetch(server.url + path, { method: "POST", headers: { authorization: `Bearer ${key}` }, body: form });
      expect(answer.status).toBeLessThan(500);
    }
  });

  it("and the log still holds", async () => {
    expect(await server.run("log", "verify", "--all")).toMatch(/: whole\.$/);
    expect((await rest("/api/runs?limit=100")).status).toBe(200);
  });
});
