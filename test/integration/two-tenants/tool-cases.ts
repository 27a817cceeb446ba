import { agentTools, outboundTools, roomTools, scheduleTools } from "@toolwright/agents";
import { browserTools } from "@toolwright/browser";
import type { Scope } from "@toolwright/engine";
import { productTools } from "@toolwright/tools";
import { owner, type World } from "./open-world.ts";

export interface ToolWorld {
  scopeOf(who: string): Scope;
  setSecret(tenant: string, name: string): Promise<void>;
  /** Operations as who asks. */
  operateOf: World["operateOf"];
  /** Of a server that answers with the headers it got; secrets are bound to it. */
  readonly server: string;
}

export interface ToolCase {
  readonly tool: string;
  /** Makes something of the tenant, which is named `name` where it can be; gives its identifier. */
  make(world: ToolWorld, tenant: string, name: string): Promise<string>;
  /** Looks at it as its own tenant. */
  look(world: ToolWorld, tenant: string, id: string): Promise<unknown>;
  input(id: string, world: ToolWorld): object;
  /** Why all people of a tenant have such things in common; absent where they are a person's. */
  readonly common?: string;
}

/** What a call gave; throws unless it went well. */
export async function outputOf<Output>(scope: Scope, tool: string, input: object): Promise<Output> {
  const result = await scope.invokeNamed(tool, input);
  if (result.status === "done") return result.output as Output;
  throw new Error(`${tool} did not go well: ${JSON.stringify(result)}`);
}

type Kind = Pick<ToolCase, "make" | "look" | "common">;

const file: Kind = {
  common: "The workspace is of the tenant: its people work in the same files.",
  async make({ scopeOf }, tenant, name) {
    await outputOf(scopeOf(tenant), "file_write", { path: name, content: `secret of ${tenant}\n` });
    return name;
  },
  look: ({ scopeOf }, tenant, path) => scopeOf(tenant).invokeNamed("file_read", { path }),
};

const background: Kind = {
  async make({ scopeOf }, tenant) {
    const { processId } = await outputOf<{ processId: string }>(scopeOf(tenant), "exec", { command: "cat", background: true });
    await outputOf(scopeOf(tenant), "process_write", { id: processId, data: `secret of ${tenant}\n` });
    await outputOf(scopeOf(tenant), "process_read", { id: processId, wait: 10 });
    return processId;
  },
  look: ({ scopeOf }, tenant, id) => scopeOf(tenant).invokeNamed("process_read", { id }),
};

const artifact: Kind = {
  async make({ scopeOf }, tenant) {
    const { artifacts } = await outputOf<{ artifacts: readonly string[] }>(scopeOf(tenant), "exec", { command: "seq 1 20000" });
    return artifacts[0] ?? "none";
  },
  look: ({ scopeOf }, tenant, id) => scopeOf(tenant).invokeNamed("artifact_read", { id }),
};

/** Nobody listens there. */
export const closedUrl = "https://127.0.0.1:1/x.git";

const secret: Kind = {
  common: "Secrets are of the tenant, or of one of its agents; nobody reads one.",
  async make({ setSecret }, tenant, name) {
    await setSecret(tenant, name);
    return name;
  },
  look: ({ scopeOf, server }, tenant, credential) => scopeOf(tenant).invokeNamed("http_request", { url: server, credential }),
};

const memory: Kind = {
  async make({ scopeOf }, tenant, key) {
    await outputOf(scopeOf(tenant), "memory_save", { content: `secret of ${tenant} ${key}`, key });
    return key;
  },
  look: async ({ scopeOf }, tenant, key) => {
    const result = await scopeOf(tenant).invokeNamed("memory_get", { key });
    return result.status === "done" ? (result.output as { content: string; version: number }) : result.status;
  },
};

const document: Kind = {
  common: "Documents are of the tenant: its people and agents search the same ones.",
  async make({ scopeOf }, tenant, title) {
    const written = { title, text: `secret of ${tenant} ${title}` };
    return (await outputOf<{ documentId: string }>(scopeOf(tenant), "knowledge_write", written)).documentId;
  },
  look: ({ scopeOf }, tenant, documentId) => scopeOf(tenant).invokeNamed("knowledge_get", { documentId }),
};

const schedule: Kind = {
  async make({ scopeOf }, tenant, name) {
    await outputOf(scopeOf(tenant), "schedule_add", { name, message: `secret of ${tenant}`, agent: "assistant", cron: "0 0 1 1 *" });
    return name;
  },
  look: ({ scopeOf }, tenant) => outputOf(scopeOf(tenant), "schedule_list", {}),
};

const room: Kind = {
  make: async ({ operateOf }, tenant, title) => (await operateOf(tenant)("rooms.create", { title, agent: "assistant" })).id,
  look: async ({ operateOf }, tenant, id) => (await operateOf(tenant)("rooms.get", { id })).events.length,
};

/** Every built-in tool that is told of something which may be another tenant's. */
export const toolCases: readonly ToolCase[] = [
  { tool: "file_read", ...file, input: (path) => ({ path }) },
  { tool: "file_list", ...file, input: (path) => ({ path }) },
  { tool: "file_search", ...file, input: (pattern) => ({ type: "glob", pattern }) },
  { tool: "file_edit", ...file, input: (path) => ({ path, oldText: "secret", newText: "spied" }) },
  { tool: "file_patch", ...file, input: (path) => ({ patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` }) },
  { tool: "file_delete", ...file, input: (path) => ({ path }) },
  { tool: "file_write", ...file, input: (path) => ({ path, content: "spied\n" }) },
  { tool: "document_read", ...file, input: (path) => ({ path }) },
  { tool: "document_read", ...artifact, input: (attachment) => ({ attachment }) },
  { tool: "document_verify", ...file, input: (path) => ({ path, question: "Is it there?" }) },
  { tool: "exec", ...file, input: (path) => ({ command: `cat ${path} && echo spied > ${path}` }) },
  { tool: "process_list", ...background, input: () => ({}) },
  { tool: "process_read", ...background, input: (id) => ({ id }) },
  { tool: "process_write", ...background, input: (id) => ({ id, data: "spied\n" }) },
  { tool: "process_stop", ...background, input: (id) => ({ id }) },
  { tool: "artifact_read", ...artifact, input: (id) => ({ id }) },
  { tool: "memory_save", ...memory, input: (key) => ({ key, content: key }) },
  { tool: "memory_search", ...memory, input: (query) => ({ query }) },
  { tool: "memory_get", ...memory, input: (key) => ({ key }) },
  { tool: "memory_forget", ...memory, input: (key) => ({ key }) },
  { tool: "knowledge_list", ...document, input: () => ({}) },
  { tool: "knowledge_search", ...document, input: () => ({ query: `secret of ${owner}` }) },
  { tool: "knowledge_get", ...document, input: (documentId) => ({ documentId }) },
  { tool: "knowledge_write", ...document, input: (documentId) => ({ documentId, text: "spied" }) },
  { tool: "knowledge_delete", ...document, input: (documentId) => ({ documentId }) },
  { tool: "room_post", ...room, input: (id) => ({ room: id, message: "spied" }) },
  { tool: "schedule_add", ...schedule, input: (name) => ({ name, message: "spied", agent: "assistant", cron: "0 0 1 1 *" }) },
  { tool: "schedule_list", ...schedule, input: () => ({}) },
  { tool: "schedule_remove", ...schedule, input: (id) => ({ schedule: id }) },
  { tool: "http_request", ...secret, input: (credential, { server }) => ({ url: server, credential }) },
  { tool: "git_clone", ...secret, input: (credential) => ({ url: closedUrl, credential }) },
];

/** All that the product has, but those of an agent's turn: they know the turn that they are in, and nobody calls them from elsewhere. */
export const allTools = [...productTools, ...browserTools, ...agentTools, ...scheduleTools, ...outboundTools, ...roomTools].filter(
  ({ visibility }) => visibility?.harness === undefined,
);

const inSession = "It acts on the page of the caller's own session, which pages.integration.test.ts shows in a real browser.";

/** Those that are told of nothing which may be another tenant's, or another person's. */
export const toolsOfNobody: Readonly<Record<string, string>> = {
  agent_run: "It is asked at its own route, POST /api/agents/{agent}/turns, which routes.integration.test.ts shows.",
  code_run: "Each tool that a program calls is judged by itself.",
  usage_stats: "It sums up what agents of the caller's tenant used, with the permission log:read, as usage.models does.",
  web_search: "It is told of words and of nothing that a tenant has.",
  web_fetch: "It is told of an address of the network and of nothing that a tenant has.",
  ...Object.fromEntries(browserTools.map(({ name }) => [name, inSession])),
};
