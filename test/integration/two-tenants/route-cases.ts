import { sql } from "kysely";
import type { Served } from "./served.ts";

export interface RouteCase {
  /** The route or the method of MCP, with words in brackets. */
  readonly name: string;
  make(served: Served, tenant: string, name: string): Promise<string>;
  ask(served: Served, tenant: string, id: string): Promise<Response>;
  /** The thing as its own tenant sees it. */
  look(served: Served, tenant: string, id: string): Promise<Response>;
  /** The identifier is not asked for: what the tenant is told must not change with what another one has. */
  readonly isList?: boolean;
}

type Kind = Pick<RouteCase, "make" | "look">;

const call = (served: Served, tenant: string, name: string, input: object) => served.ask(tenant, "tools/call", { name, arguments: input });

interface CallAnswer {
  readonly result: {
    readonly taskId?: string;
    readonly structuredContent: Readonly<Record<string, unknown>>;
    readonly requestState?: string;
  };
}

async function resultOf(response: Promise<Response>): Promise<CallAnswer["result"]> {
  const text = await (await response).text();
  const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as CallAnswer;
  if (result === undefined) throw new Error(`The call did not go well: ${text}`);
  return result;
}

const artifact: Kind = {
  async make(served, tenant) {
    const { structuredContent } = await resultOf(call(served, tenant, "exec", { command: "seq 1 20000" }));
    return (structuredContent.artifacts as readonly string[])[0] ?? "none";
  },
  look: (served, tenant, id) => call(served, tenant, "artifact_read", { id }),
};

const background: Kind = {
  async make(served, tenant) {
    const { structuredContent } = await resultOf(call(served, tenant, "exec", { command: "cat", background: true }));
    return structuredContent.processId as string;
  },
  look: (served, tenant, id) => call(served, tenant, "process_read", { id }),
};

const echoOnce = (served: Served, tenant: string, key: string, text: string) =>
  served.ask(tenant, "tools/call", {
    name: "exec",
    arguments: { command: `echo ${text}` },
    _meta: { "dev.toolwright/idempotency-key": key },
  });

const keyed: Kind = {
  async make(served, tenant, name) {
    await resultOf(echoOnce(served, tenant, name, "first"));
    return name;
  },
  look: (served, tenant, key) => echoOnce(served, tenant, key, "first"),
};

const echoByRest = (served: Served, tenant: string, key: string, text: string) =>
  served.rest(tenant, "POST /api/tools/exec/call", { body: { command: `echo ${text}` }, headers: { "idempotency-key": key } });

const keyedByRest: Kind = {
  async make(served, tenant, name) {
    await (await echoByRest(served, tenant, name, "first")).text();
    return name;
  },
  look: (served, tenant, key) => echoByRest(served, tenant, key, "first"),
};

/** A call that runs on by itself. */
const running: Kind = {
  async make(served, tenant) {
    const headers = { prefer: "respond-async" };
    const begun = await served.rest(tenant, "POST /api/tools/exec/call", { body: { command: "sleep 300" }, headers });
    return ((await begun.json()) as { readonly callId: string }).callId;
  },
  look: (served, tenant, id) => served.rest(tenant, `GET /api/runs/${id}`),
};

/** A call that waits for a person. */
const approval: Kind = {
  async make(served, tenant) {
    await resultOf(call(served, tenant, "file_write", { path: "waiting.txt", content: "there" }));
    const waiting = await served.rest(tenant, "POST /api/tools/file_delete/call", { body: { path: "waiting.txt" } });
    return waiting.headers.get("location")?.split("/").at(-1) ?? "none";
  },
  look: (served, tenant, id) => served.rest(tenant, `GET /api/approvals/${id}`),
};

const remove = (served: Served, tenant: string, requestState?: string) => {
  const inputResponses = { approval: { action: "accept", content: { decision: "approve" } } };
  const answer = requestState === undefined ? {} : { requestState, inputResponses };
  return served.ask(tenant, "tools/call", { name: "file_delete", arguments: { path: "asked.txt" }, ...answer });
};

/** What the client carries while a person is asked. */
const question: Kind = {
  async make(served, tenant) {
    await resultOf(call(served, tenant, "file_write", { path: "asked.txt", content: "there" }));
    return (await resultOf(remove(served, tenant))).requestState ?? "none";
  },
  look: (served, tenant) => call(served, tenant, "file_read", { path: "asked.txt" }),
};

const withTasks = { _meta: { "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } } } };
const askTask = (served: Served, who: string, method: string, taskId: string) => served.ask(who, method, { taskId, ...withTasks });

/** A call that its client has left, and asks about. */
const task: Kind = {
  async make(served, tenant) {
    const call = { name: "exec", arguments: { command: "sleep 300" }, ...withTasks };
    return (await resultOf(served.ask(tenant, "tools/call", call))).taskId ?? "none";
  },
  look: (served, tenant, id) => askTask(served, tenant, "tasks/get", id),
};

const version = { "mcp-protocol-version": "2025-11-25" };
const inSession = (served: Served, tenant: string, id: string, method?: string) =>
  served.mcp(tenant, method === undefined ? { jsonrpc: "2.0", id: 1, method: "resources/list" } : undefined, {
    headers: { ...version, "mcp-session-id": id },
    ...(method !== undefined && { method }),
  });

/** Its beginning alone, where there is a stream: that stays open. */
async function streamOf(served: Served, tenant: string, id: string): Promise<Response> {
  const response = await inSession(served, tenant, id, "GET");
  if (!response.ok) return response;
  await response.body?.cancel();
  return new Response(null, response);
}

async function openSession(served: Served, who: string): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1.0.0" } };
  const opened = await served.mcp(who, { jsonrpc: "2.0", id: 1, method: "initialize", params });
  await opened.text();
  return opened.headers.get("mcp-session-id") ?? "none";
}

const session: Kind = { make: openSession, look: (served, who, id) => inSession(served, who, id) };

/** A request of a client of 2025-11-25, in a session of its own. */
async function askAsOld(served: Served, who: string, method: string, params: object): Promise<Response> {
  const headers = { ...version, "mcp-session-id": await openSession(served, who) };
  const { status, body } = await served.mcp(who, { jsonrpc: "2.0", id: 1, method, params }, { headers });
  return new Response(body, { status });
}

const inNamedSession = (served: Served, who: string, name: string, command: string) =>
  served.rest(who, "POST /api/tools/exec/call", { body: { command }, headers: { "toolwright-session": name } });

/** A session that a caller named with its call, as others may name theirs. */
const namedSession: Kind = {
  async make(served, who, name) {
    await (await inNamedSession(served, who, name, "seq 1 20000")).text();
    return name;
  },
  look: (served, who, name) => served.rest(who, `GET /api/artifacts?session=${name}`),
};

/** The session of calls that name none. */
const usualSession: Kind = {
  async make(served, who) {
    const { callId } = (await (await served.rest(who, "POST /api/tools/exec/call", { body: { command: "seq 1 20000" } })).json()) as {
      readonly callId: string;
    };
    const run = (await (await served.rest(who, `GET /api/runs/${callId}`)).json()) as { readonly session: string };
    return run.session;
  },
  look: namedSession.look,
};

const prompts = (served: Served, tenant: string) => served.ask(tenant, "prompts/list", {});

const skill: Kind = {
  async make({ server }, tenant, name) {
    await server.run("skills", "create", name, "--title", `Skill of ${tenant}`, "--tenant", tenant);
    return name;
  },
  look: prompts,
};

const say = (served: Served, tenant: string, body: object, prefer = "") =>
  served.rest(tenant, "POST /api/agents/assistant/turns", { body, headers: { prefer } });
const watch = (served: Served, tenant: string, id: string) => served.rest(tenant, `GET /api/turns/${id}/stream`);

/** A turn that is over; it is named by its conversation where `member` says so. */
const turn = (member: "id" | "conversation", look: Kind["look"]): Kind => ({
  async make(served, tenant) {
    const begun = (await (await say(served, tenant, { message: "Hello." }, "respond-async")).json()) as Readonly<Record<string, string>>;
    await (await watch(served, tenant, begun.id ?? "")).text();
    return begun[member] ?? "none";
  },
  look,
});
const conversation = turn("conversation", (served, tenant, id) => served.rest(tenant, `GET /api/sessions/${id}/messages`));

/** A program to which the member of the tenant gave access; it is named by the tenant. */
const access: Kind = {
  async make({ database, emailOf }, tenant, name) {
    await database.asSystem(async (query) => {
      await sql`insert into toolwright.oauth_clients (id, client_id, name, redirect_uris, created_at) values (${name}, ${name}, ${name}, '[]', now())`.execute(
        query,
      );
      await sql`insert into toolwright.oauth_consents (id, client_id, user_id, reference_id, scopes, created_at, updated_at)
        select ${name}, ${name}, id, ${tenant}, '["tools"]', now(), now() from toolwright.users where email = ${emailOf(tenant)}`.execute(
        query,
      );
    });
    return name;
  },
  look: ({ server, browserOf }, tenant) => browserOf(tenant).get(`${server.url}/auth/account`),
};

const tenants: Kind = {
  make: async (_, tenant) => tenant,
  look: ({ server, browserOf }, tenant) => browserOf(tenant).get(`${server.url}/auth/account`),
};

export const routeCases: readonly RouteCase[] = [
  { name: "tools/call (of an artifact)", ...artifact, ask: artifact.look },
  { name: "tools/call (of a process)", ...background, ask: (served, tenant, id) => call(served, tenant, "process_stop", { id }) },
  { name: "tools/call (with a key)", ...keyed, ask: (served, tenant, key) => echoOnce(served, tenant, key, "second") },
  { name: "tools/call (with an answer)", ...question, ask: remove },
  {
    name: "tools/call (of an artifact, in a session)",
    ...artifact,
    ask: (served, who, id) => askAsOld(served, who, "tools/call", { name: "artifact_read", arguments: { id } }),
  },
  { name: "tasks/get", ...task, ask: task.look },
  { name: "tasks/update", ...task, ask: (served, who, id) => askTask(served, who, "tasks/update", id) },
  { name: "tasks/cancel", ...task, ask: (served, who, id) => askTask(served, who, "tasks/cancel", id) },
  {
    name: "resources/read (in a session)",
    ...artifact,
    ask: (served, who, id) => askAsOld(served, who, "resources/read", { uri: `artifact://${id}` }),
  },
  { name: "resources/read", ...artifact, ask: (served, tenant, id) => served.ask(tenant, "resources/read", { uri: `artifact://${id}` }) },
  { name: "resources/list", isList: true, ...artifact, ask: (served, tenant) => served.ask(tenant, "resources/list", {}) },
  { name: "prompts/get", ...skill, ask: (served, tenant, name) => served.ask(tenant, "prompts/get", { name }) },
  { name: "prompts/list", isList: true, ...skill, ask: prompts },
  { name: "/mcp (POST in a session)", ...session, ask: (served, tenant, id) => inSession(served, tenant, id) },
  { name: "/mcp (GET of a session)", ...session, ask: streamOf },
  { name: "/mcp (DELETE of a session)", ...session, ask: (served, tenant, id) => inSession(served, tenant, id, "DELETE") },
  { name: "POST /api/tools/{name}/call", ...keyedByRest, ask: (served, tenant, key) => echoByRest(served, tenant, key, "second") },
  {
    name: "POST /api/tools/{name}/call (in a session of that name)",
    ...namedSession,
    ask: (served, who, name) => inNamedSession(served, who, name, "seq 1 20001"),
  },
  {
    name: "POST /api/tools/{name}/call (in the session of calls that name none)",
    ...usualSession,
    ask: (served, who, name) => inNamedSession(served, who, name, "seq 1 20001"),
  },
  { name: "POST /api/approvals/{id}/run", ...approval, ask: (served, tenant, id) => served.rest(tenant, `POST /api/approvals/${id}/run`) },
  { name: "POST /api/runs/{id}/cancel", ...running, ask: (served, tenant, id) => served.rest(tenant, `POST /api/runs/${id}/cancel`) },
  {
    name: "GET /api/artifacts/{id}/content",
    ...artifact,
    ask: (served, tenant, id) => served.rest(tenant, `GET /api/artifacts/${id}/content`),
  },
  {
    name: "POST /api/agents/{agent}/turns",
    ...conversation,
    ask: (served, tenant, id) => say(served, tenant, { message: "And what did I say?", conversation: id }),
  },
  {
    name: "POST /api/agents/{agent}/turns (with an artifact)",
    ...artifact,
    ask: (served, who, id) => say(served, who, { message: "What is in it?", attachments: [id] }),
  },
  {
    name: "POST /api/agents/{agent}/turns (going on with a turn)",
    ...turn("id", watch),
    ask: (served, who, id) => say(served, who, { message: "", turn: id }),
  },
  { name: "GET /api/turns/{id}/stream", ...turn("id", watch), ask: watch },
  {
    name: "POST /auth/consent",
    ...tenants,
    ask: ({ server, browserOf }, tenant, wanted) =>
      browserOf(tenant).post(`${server.url}/auth/consent`, { answer: "allow", tenant: wanted, oauth_query: "" }),
  },
  {
    name: "POST /auth/withdraw",
    ...access,
    ask: ({ server, browserOf }, tenant, client) => browserOf(tenant).post(`${server.url}/auth/withdraw`, { client, tenant: "acme" }),
  },
  {
    name: "GET /auth/account",
    isList: true,
    ...access,
    ask: ({ server, browserOf }, tenant) => browserOf(tenant).get(`${server.url}/auth/account`),
  },
];
