import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@toolwright/postgres";
import { createServerDatabase, openDatabase } from "@toolwright/postgres/testing";
import type { Browser } from "../../../packages/cli/test/browser.ts";
import { type ServedHere, serveHere } from "../../../packages/cli/test/serve-here.ts";
import { withoutOwn } from "./compare-answers.ts";
import { owner, stranger } from "./open-world.ts";

/** A server with people and keys of two tenants. */
export interface Served {
  readonly server: ServedHere;
  readonly database: Database;
  /** In which a member of the tenant is signed in. */
  browserOf(tenant: string): Browser;
  emailOf(tenant: string): string;
  /** Sends one message to the MCP door with the key of that member. */
  mcp(
    tenant: string,
    body: object | undefined,
    more?: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>;
  /** One request below `/api`; a body is sent as JSON. */
  rest(
    tenant: string,
    request: string,
    more?: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>;
  /** One request of 2026-07-28. */
  ask(tenant: string, method: string, params: Readonly<Record<string, unknown>>): Promise<Response>;
  stop(): Promise<void>;
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "matrix", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

/** Every tool runs unasked but `file_delete`, which asks a person. */
const policy = {
  version: 1,
  autonomy: "full",
  tools: { ask: ["file_delete"] },
  commands: { mode: "full", block_high_risk: false, approve_medium_risk: false },
  sandbox: { mode: "host", network: "host" },
};

export async function serveTwoTenants(): Promise<Served> {
  const { url, drop } = await createServerDatabase();
  const folder = await mkdtemp(join(tmpdir(), "toolwright-served-"));
  await writeFile(join(folder, "policy.json"), JSON.stringify(policy));
  const server = await serveHere(["--auth", "--policy", join(folder, "policy.json")], { DATABASE_URL: url });
  const database = await openDatabase({ url, folder, process: "prc_served", holder: "a test" });
  const emailOf = (tenant: string) => `member@${tenant}.example.org`;
  const browsers = new Map<string, Browser>();
  const keys = new Map<string, string>();
  for (const tenant of [owner, stranger]) {
    browsers.set(tenant, await server.person(emailOf(tenant), { tenant, role: "owner" }));
    keys.set(
      tenant,
      await server.run(
        "keys",
        "create",
        "k",
        "--tenant",
        tenant,
        "--user",
        emailOf(tenant),
        "--permission",
        "agents:run",
        "approvals:answer",
        "*.*.*",
      ),
    );
  }
  const mcp: Served["mcp"] = (tenant, body, { method = "POST", headers = {} } = {}) =>
    fetch(`${server.url}/mcp`, {
      method,
      headers: {
        "content-type": "application/json",
        accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
        authorization: `Bearer ${keys.get(tenant)}`,
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const rest: Served["rest"] = (tenant, request, { body, headers } = {}) => {
    const [method = "", path = ""] = request.split(" ");
    const json = body && { "content-type": "application/json" };
    const all = { authorization: `Bearer ${keys.get(tenant)}`, ...json, ...headers };
    return fetch(server.url + path, { method, headers: all, ...(body && { body: JSON.stringify(body) }) });
  };
  return {
    ...{ server, database, emailOf, mcp, rest },
    browserOf: (tenant) => browsers.get(tenant) as Browser,
    ask(tenant, method, params) {
      const name = params.name ?? params.uri;
      const named: Readonly<Record<string, string>> = typeof name === "string" ? { "mcp-name": name } : {};
      const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...named };
      const _meta = { ...meta, ...(params._meta as object | undefined) };
      return mcp(tenant, { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, { headers });
    },
    async stop() {
      await server.stop();
      await database.close();
      await drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** All of an answer that its client sees, but what is new in each; its length is that of the body. */
export async function seenOf(response: Response, id: string): Promise<string> {
  const headers = [...response.headers].filter(([name]) => name !== "date" && name !== "content-length");
  const body = (await response.text()).replace(/\(\d+\.\d s\)/g, "<time>").replace(/^id: \d+$/gm, "id: <new>");
  return withoutOwn(JSON.stringify({ status: response.status, headers, body: withoutOwn(body, id) }), id);
}
