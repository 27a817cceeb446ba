import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@toolwright/postgres";
import { createServerDatabase, openDatabase } from "@toolwright/postgres/testing";
import type { Browser } from "../../../packages/cli/test/browser.ts";
import { type ServedHere, serveHere } from "../../../packages/cli/test/serve-here.ts";
import { withoutOwn } from "./compare-answers.ts";
import { colleague, owner, stranger, tenantOf } from "./open-world.ts";

/** A server with a person and their key of two tenants each, and a colleague of the owner's with theirs, who has the role of a member. */
export interface Served {
  readonly server: ServedHere;
  readonly database: Database;
  /** In which that person is signed in. */
  browserOf(who: string): Browser;
  emailOf(who: string): string;
  /** Sends one message to the MCP door with the key of that person. */
  mcp(
    who: string,
    body: object | undefined,
    more?: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>;
  /** One request below `/api`; a body is sent as JSON. */
  rest(
    who: string,
    request: string,
    more?: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>;
  /** One request of 2026-07-28. */
  ask(who: string, method: string, params: Readonly<Record<string, unknown>>): Promise<Response>;
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
  const emailOf = (who: string) => `member@${who}.example.org`;
  const browsers = new Map<string, Browser>();
  const keys = new Map<string, string>();
  for (const who of [owner, stranger, colleague]) {
    const tenant = tenantOf(who);
    browsers.set(who, await server.person(emailOf(who), { tenant, role: who === colleague ? "member" : "owner" }));
    const permissions = ["agents:run", ...(who === colleague ? [] : ["approvals:answer"]), "*.*.*"];
    keys.set(who, await server.run("keys", "create", "k", "--tenant", tenant, "--user", emailOf(who), "--permission", ...permissions));
  }
  const mcp: Served["mcp"] = (who, body, { method = "POST", headers = {} } = {}) =>
    fetch(`${server.url}/mcp`, {
      method,
      headers: {
        "content-type": "application/json",
        accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
        authorization: `Bearer ${keys.get(who)}`,
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const rest: Served["rest"] = (who, request, { body, headers } = {}) => {
    const [method = "", path = ""] = request.split(" ");
    const json = body && { "content-type": "application/json" };
    const all = { authorization: `Bearer ${keys.get(who)}`, ...json, ...headers };
    return fetch(server.url + path, { method, headers: all, ...(body && { body: JSON.stringify(body) }) });
  };
  return {
    ...{ server, database, emailOf, mcp, rest },
    browserOf: (who) => browsers.get(who) as Browser,
    ask(who, method, params) {
      const name = params.name ?? params.uri ?? params.taskId;
      const named: Readonly<Record<string, string>> = typeof name === "string" ? { "mcp-name": name } : {};
      const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...named };
      const _meta = { ...meta, ...(params._meta as object | undefined) };
      return mcp(who, { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, { headers });
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
