import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openTestDatabase, type TestDatabase } from "@toolwright/postgres/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessTokenOf } from "../../../../test/access-token.ts";
import { type ServedHere, serveHere } from "../../../../test/serve-here.ts";

const canary = "canary-q7w3e9r1t5y8u2i6o4p0";
const operatorToken = "operator-z9x8c7v6b5n4m3a2s1d0";

const policyFor = (port: number) => `
version: 1
autonomy: full
after_foreign: { outside: none }
commands: { mode: full, block_high_risk: false, approve_medium_risk: false }
network: { allow: ["127.0.0.1:${port}"], allow_ranges: ["127.0.0.0/8"] }
sandbox: { mode: host, network: host }
`;

/** Says all that a tool of code can see of its call and its process. */
const lookAround = `
import { defineTool } from "@toolwright/engine";
import { z } from "zod";
function see(value, seen = new Set()) {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return String(value) + "\\n";
  seen.add(value);
  return Reflect.ownKeys(value).map((key) => {
    try { return String(key) + ": " + see(value[key], seen); } catch { return ""; }
  }).join("");
}
export default defineTool({
  name: "look_around",
  description: "Says all that it sees.",
  input: z.object({}),
  output: z.object({ seen: z.string() }),
  effects: { http: "read", exec: "run", files: "write" },
  limits: { maxOutputBytes: 5000000 },
  run: (input, ctx) => ({ seen: see(ctx) + see(process.env) + process.argv.join(" ") }),
});
`;

describe("what a client shows to be let in goes nowhere else (R-MC-7)", () => {
  let root: string;
  let database: TestDatabase;
  let server: ServedHere;
  const seen: string[] = [];
  const upstream = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${JSON.stringify(request.rawHeaders)}`);
    request.on("data", (chunk) => seen.push(String(chunk)));
    request.on("end", () => response.end("hello"));
  });
  const at = (path: string) => `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/${path}`;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "toolwright-inbound-"));
    await mkdir(join(root, "tools"));
    await writeFile(join(root, "tools", "look-around.tool.ts"), lookAround);
    await mkdir(join(root, "workspace"));
    upstream.listen(0, "127.0.0.1");
    await once(upstream, "listening");
    await writeFile(join(root, "policy.yaml"), policyFor((upstream.address() as AddressInfo).port));
    database = await openTestDatabase("server");
    const {
      policy: file,
      tools,
      workspace,
    } = { policy: join(root, "policy.yaml"), tools: join(root, "tools"), workspace: join(root, "workspace") };
    server = await serveHere(["--auth", "--policy", file, "--tools", tools, "--workspace", workspace, "--verbose"], {
      DATABASE_URL: database.url ?? "",
      TOOLWRIGHT_TOKEN: operatorToken,
    });
  });
  afterAll(async () => {
    await server.stop();
    await new Promise((resolve) => upstream.close(resolve));
    await database.cleanup();
    await rm(root, { recursive: true, force: true });
  });

  /** All that the store holds. */
  async function dump(): Promise<string> {
    const { rows } = await sql<{ name: string }>`select table_name as name from information_schema.tables
      where table_schema = 'toolwright' and table_type = 'BASE TABLE'`.execute(database.database.owner);
    const texts = [];
    for (const { name } of rows) {
      const found = await sql<{ row: string }>`select t::text as row from ${sql.table(`toolwright.${name}`)} t`.execute(
        database.database.owner,
      );
      texts.push(...found.rows.map(({ row }) => row));
    }
    return texts.join("\n");
  }

  async function files(folder: string): Promise<string> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const texts = entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name), "latin1"));
    return (await Promise.all(texts)).join("\n");
  }

  /** What of the secret is in the text: any sixteen characters of it, plain, in hex or in base64. */
  function tracesOf(secret: string, text: string): readonly string[] {
    const parts = Array.from({ length: Math.max(1, secret.length - 15) }, (_, index) => secret.slice(index, index + 16));
    const forms = parts.flatMap((part) => [part, Buffer.from(part).toString("hex")]);
    return [...forms, Buffer.from(secret).toString("base64").replace(/=+$/, "")].filter((form) => text.includes(form));
  }

  const cookieValue = (cookie: string) => decodeURIComponent(cookie.slice(cookie.indexOf("=") + 1));
  const shown: readonly [name: string, show: () => Promise<{ readonly token: string; readonly cookie?: string }>][] = [
    ["the token of the operator", async () => ({ token: operatorToken })],
    ["a key of a service", async () => ({ token: await server.run("keys", "create", "ci", "--permission", "*.*.*") })],
    [
      "a key of a person",
      async () => {
        await server.person("ann@example.org", { role: "owner" });
        return { token: await server.run("keys", "create", "laptop", "--user", "ann@example.org", "--permission", "*.*.*") };
      },
    ],
    [
      "an access token, with the cookie of the person's session",
      async () => {
        const browser = await server.person("bob@example.org", { role: "owner" });
        const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        return { token: await accessTokenOf(server.url, browser), cookie };
      },
    ],
  ];

  it.each(shown)(
    "%s",
    async (_, show) => {
      const { token, cookie = "" } = await show();
      seen.length = 0;
      const headers = {
        authorization: `Bearer ${token}`,
        cookie: `${cookie}; other=${canary}`,
        "x-api-key": canary,
        "proxy-authorization": canary,
      };
      const client = new Client({ name: "notes", version: "1.0.0" });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }));
      const call = async (name: string, args: Record<string, unknown>) => JSON.stringify(await client.callTool({ name, arguments: args }));
      const results = [
        await call("http_request", { url: at("http"), method: "POST", body: "hello", headers: [{ name: "x-mine", value: "1" }] }),
        await call("web_fetch", { url: at("fetch") }),
        await call("exec", { command: `env; curl -s ${at("exec")}` }),
        await call("git_clone", { url: at("owner/name.git"), path: "clone" }),
        await call("look_around", {}),
      ];
      await client.close();
      // Without these the silence would say nothing.
      for (const path of ["/http", "/fetch", "/exec", "/owner/name.git"]) expect(seen.join("\n"), results.join("\n")).toContain(path);
      expect(results[4]).toMatch(/actor: /);
      expect(results[2]).toMatch(/PATH=/);
      const everywhere = {
        upstream: seen.join("\n"),
        results: results.join("\n"),
        store: await dump(),
        files: await files(join(root, "workspace")),
        server: server.said(),
      };
      // The beginning of a key is its public name, by which the log knows it.
      const secrets = [token.startsWith("tw_") ? token.slice(20) : token, canary, ...cookie.split("; ").map(cookieValue)];
      for (const [place, text] of Object.entries(everywhere))
        for (const secret of secrets.filter((each) => each.length >= 16))
          expect({ place, traces: tracesOf(secret, text) }).toEqual({ place, traces: [] });
    },
    60_000,
  );
});
