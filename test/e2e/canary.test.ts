import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { openDatabase, productDatabaseKinds, startTestServer, type TestServer } from "@toolwright/postgres/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findTraces, lookAtProcesses, readBelow } from "./canary/find-traces.ts";
import { leakTool, ways } from "./canary/leak-tool.ts";
import { vaultTool } from "./canary/vault-tool.ts";
import { type Child, Place, type Ran, waitForText } from "./run-cli.ts";

const word = (name: string) => `${name}/+${randomBytes(12).toString("hex")}="x y"&é`;
const key = () => randomBytes(32).toString("base64");

describe.each(productDatabaseKinds)("canaries among the secrets of the whole product, %s (R-TN-4, R-TN-2, pains 13 and 18)", (kind) => {
  const secrets: Record<string, string> = {
    tenant: word("tenant"),
    agent: word("agent"),
    sent: randomBytes(24).toString("hex"),
    model: randomBytes(24).toString("hex"),
    master: key(),
    signing: key(),
    password: randomBytes(16).toString("hex"),
    // Of sensitive members: what tools are given, at two places, and what they give.
    member: word("member"),
    pin: word("pin"),
    made: word("made"),
  };
  const said: string[] = [];
  let place: Place;
  let echo: Server;
  let origin: string;
  let postgres: TestServer | undefined;
  let data: string;
  let rows: readonly string[] = [];

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "toolwright-canary-"));
    // The server runs as another user where tests run as root.
    await chmod(data, 0o755);
    place = await Place.make("embedded");
    if (kind === "server") {
      postgres = await startTestServer([], { data });
      place.env.DATABASE_URL = postgres.url.replace("postgres@", `postgres:${secrets.password}@`);
    }
    await prepare();
    const server = await serve();
    await leakEverywhere(server);
    await endAndRead(server);
  }, 480_000);
  afterAll(async () => {
    echo?.closeAllConnections();
    echo?.close();
    await place?.remove();
    await postgres?.stop();
    await rm(data, { recursive: true, force: true });
  });

  async function prepare() {
    echo = createServer(async (request, response) => {
      if (request.url?.startsWith("/hang-up")) return request.socket.destroy();
      const body = await buffer(request);
      // As providers of models do.
      if (request.url?.startsWith("/v1/")) response.statusCode = 401;
      received.push(`${request.url} ${request.headers.authorization}`);
      response.setHeader("x-echo", `${request.headers["x-token"] ?? request.headers.authorization}`);
      return response.end(`${JSON.stringify(request.headers)}${body}`);
    });
    await once(echo.listen(0, "127.0.0.1"), "listening");
    const { port } = echo.address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
    for (const folder of ["tools", "temporary", "workspace", "keys", "home/.config/toolwright"])
      await mkdir(place.path(folder), { recursive: true });
    place.env.TOOLWRIGHT_TOOLS = place.path("tools");
    await writeFile(place.path("tools/leak.tool.ts"), leakTool);
    await writeFile(place.path("tools/vault.tool.ts"), vaultTool("vault", secrets.made ?? ""));
    await writeFile(place.path("tools/vault-asked.tool.ts"), vaultTool("vault_asked", secrets.made ?? "", true));
    await writeFile(place.path("tools/asked.tool.ts"), leakTool.replace('name: "leak"', 'name: "leak_asked", approval: "always_ask"'));
    await writeFile(place.path("keys/master.key"), `${secrets.master}\n`, { mode: 0o600 });
    const policy = {
      version: 1,
      autonomy: "full",
      // What its tools read would make the next one ask.
      after_foreign: { outside: "none" },
      commands: { mode: "full", block_high_risk: false, approve_medium_risk: false },
      sandbox: { mode: "host", network: "host" },
      network: { allow: [`127.0.0.1:${port}`, "example.invalid"], allow_ranges: ["127.0.0.1/32"] },
    };
    await writeFile(place.path("home/.config/toolwright/policy.yaml"), JSON.stringify(policy));
    Object.assign(place.env, {
      TMPDIR: place.path("temporary"),
      TOOLWRIGHT_MASTER_KEY_FILE: place.path("keys/master.key"),
      TOOLWRIGHT_AUTH_SECRET: secrets.signing,
      TOOLWRIGHT_MODEL: "openai-compatible/any",
      TOOLWRIGHT_MODEL_URL: `${origin}/v1`,
      TOOLWRIGHT_MODEL_KEY: secrets.model,
    });
    await run(["secrets", "set", "TENANT_KEY"], secrets.tenant);
    await run(["secrets", "set", "AGENT_KEY"], "what the agent does not get");
    await run(["secrets", "set", "AGENT_KEY", "--agent", "helper"], secrets.agent);
    await run(["secrets", "set", "SENT_KEY", "--host", origin], secrets.sent);
    // The one that is shown: to whoever makes it.
    const { out } = await place.run(["keys", "create", "bot", "--agent", "helper", "--permission", "*.*.*"]);
    secrets.api = out.trim();
  }

  async function run(args: readonly string[], stdin = "", heard = said): Promise<Ran> {
    const ran = await place.run(args, { stdin });
    heard.push(ran.out, ran.err);
    return ran;
  }

  function start(args: readonly string[]): Child {
    const child = place.start(args);
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => said.push(chunk.toString()));
    return child;
  }

  async function serve() {
    const child = start(["serve", "--port", "0", "--auth"]);
    const banner = await waitForText(child, /Stop it with Ctrl\+C/);
    return { child, mcp: /MCP +(\S+)/.exec(banner)?.[1] ?? "" };
  }

  async function leakEverywhere({ child, mcp }: Awaited<ReturnType<typeof serve>>) {
    let watching = true;
    const watched = (async () => {
      for (; watching; await setTimeout(50)) said.push(lookAtProcesses(child.pid ?? 0));
    })();
    for (const way of ways) {
      const answer = await callByMcp(mcp, way);
      said.push(answer);
      answers.set(way, answer);
    }
    said.push(await callByMcp(mcp, "output", "a wrong key"));
    watching = false;
    await watched;
    // What fails says with --verbose where; what succeeds says the same without.
    await run(["call", "leak", "--verbose", "--way", "error", "--server", origin]);
    await run(["call", "leak", "--way", "child", "--server", origin]);
    await run(["call", "git_clone", "--verbose", "--url", `${origin}/private.git`, "--credential", "SENT_KEY"]);
    await run(["call", "http_request", "--url", `${origin}/api`, "--credential", "SENT_KEY"]);
    await run(["call", "http_request", "--verbose", "--url", "https://example.invalid/api", "--credential", "SENT_KEY"]);
    await run(["call", "leak", "--idempotency-key", "once", "--way", "output", "--server", origin]);
    await run(["chat", "assistant", "Hello", "--verbose"]);
    const asked = await run(["call", "leak_asked", "--way", "output", "--server", origin, "--json"]);
    await run(["approvals", "approve", /apr_[A-Za-z0-9_-]{22}/.exec(asked.out)?.[0] ?? "", "--run"]);
    const worker = start(["worker"]);
    for (const [way, ...options] of [["output"], ["error", "--verbose"]]) {
      const input = JSON.stringify({ way, server: origin });
      await run(["jobs", "run", "leak", ...options, "--wait", "--attempts", "1", "--input", input]);
    }
    await keepMembers(mcp);
    await stop(worker);
    for (const args of [
      ["runs", "list"],
      ["log", "sessions"],
      ["log", "export"],
      ["secrets", "list", "--json"],
      ["keys", "list"],
      ["doctor"],
      ["db", "status"],
    ])
      await run(args);
    await run(["db", "backup", place.path("backup")]);
  }
  /** Calls with sensitive members, by each way in which they wait, run or are refused. Their answers are the caller's. */
  async function keepMembers(mcp: string) {
    const api = mcp.replace(/\/mcp$/, "/api");
    const headers = { "content-type": "application/json", authorization: `Bearer ${secrets.api}` };
    const post = async (path: string, body: unknown, more: Record<string, string> = {}) => {
      const response = await fetch(`${api}${path}`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
      const answer = await response.text();
      vaultAnswers.push(`${path} ${response.status} ${answer}`);
      return answer;
    };
    const input = (way: string, user = "ann") => ({ way, accounts: [{ user, password: secrets.member }], pin: secrets.pin });
    for (const way of ["done", "large"]) await post("/tools/vault/call", input(way));
    for (const way of ["throw", "fail"]) said.push(await post("/tools/vault/call", input(way)));
    for (let time = 0; time < 2; time += 1) await post("/tools/vault/call", input("once"), { "idempotency-key": "vault-1" });
    await post("/tools/vault/call", { way: "other name", logins: input("").accounts, pin: secrets.pin });
    for (const wrong of [{ password: secrets.member, more: 1 }, `{"password":${JSON.stringify(secrets.member)}`])
      said.push(await post("/tools/vault/call", { way: "refused", accounts: [wrong], pin: [secrets.pin] }));
    vaultAnswers.push(await callByMcp(mcp, "vault", secrets.api, input("mcp")));
    const approvalIn = (text: string) => /apr_[A-Za-z0-9_-]{22}/.exec(text)?.[0] ?? "none";
    const asked = await post("/tools/vault_asked/call", input("approve"));
    said.push(asked);
    await run(["approvals", "approve", approvalIn(asked), "--run"], "", vaultAnswers);
    said.push(await post("/tools/vault_asked/call", input("left waiting"), { "idempotency-key": "vault-2" }));
    said.push(await post("/jobs", { tool: "vault", input: input("job") }));
    said.push(await post("/schedules", { name: "nightly", tool: "vault", input: input("schedule"), when: { cron: "0 0 1 1 *" } }));
    const get = async (path: string) => (await fetch(`${api}${path}`, { headers })).text();
    const isOpen = (jobs: string) => /"state":"(?:queued|running)"/.test(jobs);
    for (let look = 0; look < 120 && isOpen(await get("/jobs")); look += 1) await setTimeout(250);
    for (const path of ["/runs", "/approvals", "/jobs", "/schedules"]) said.push(await get(path));
  }
  const vaultAnswers: string[] = [];
  const answers = new Map<string, string>();
  /** By the server that knows the secret which is sent by its name. */
  const received: string[] = [];

  async function callByMcp(mcp: string, way: string, bearer = secrets.api, input?: object): Promise<string> {
    const name = input ? way : "leak";
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${bearer}`,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    };
    const meta = {
      progressToken: 1,
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { name, arguments: input ?? { way, server: origin }, _meta: meta };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const response = await fetch(mcp, { method: "POST", headers, body });
    return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
  }

  async function stop(child: Child) {
    const ended = once(child, "close");
    child.kill("SIGTERM");
    await ended;
  }

  /** Rows are compressed where they lie, so they are read as text as well. */
  async function endAndRead({ child }: Awaited<ReturnType<typeof serve>>) {
    await stop(child);
    const url = place.env.DATABASE_URL;
    const database = await openDatabase({ ...(url && { url }), folder: place.path("state/store"), holder: "a test" } as never);
    try {
      const { tables } = await sql<{ tables: string[] }>`select array_agg(format('%I.%I', schemaname, tablename)) as tables from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`
        .execute(database.owner)
        .then((result) => result.rows[0] ?? { tables: [] });
      for (const name of tables) {
        const found = await sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`.execute(database.owner);
        rows = [...rows, ...found.rows.map(({ row }) => `${name}: ${row}`)];
      }
      await sql`checkpoint`.execute(database.owner);
    } finally {
      await database.close();
    }
  }

  test("the tools that leak did what they are for", () => {
    const failing = new Set(["error", "failure", "no_json", "broken_schema", "lost_request"]);
    for (const [way, answer] of answers) {
      expect([way, answer.slice(0, 3), answer.includes('"isError":true')]).toEqual([way, "200", failing.has(way)]);
    }
    for (const way of ["output", "child", "background", "request", "progress"]) expect(answers.get(way)).toContain("[redacted]");
    expect(said.some((text) => text.includes("sleep\0"))).toBe(true);
    expect(received).toContain(`/api Bearer ${secrets.sent}`);
    expect(received).toContain(`/v1/chat/completions Bearer ${secrets.model}`);
    const pair = Buffer.from(`x-access-token:${secrets.sent}`).toString("base64");
    expect(received).toContain(`/private.git/info/refs?service=git-upload-pack Basic ${pair}`);
    expect(said.some((text) => text.includes('The secret "SENT_KEY" may not be sent to https://example.invalid'))).toBe(true);
  });

  test("calls with sensitive members got them whole, and gave theirs to their callers", () => {
    const token = JSON.stringify((secrets.made ?? "") + secrets.member).slice(1, -1);
    const whole = vaultAnswers.filter((answer) => answer.includes(token));
    expect(whole.filter((answer) => answer.startsWith("/tools/vault/call 200")).length).toBeGreaterThanOrEqual(5);
    expect(whole.length).toBeGreaterThanOrEqual(7);
    expect(said.join("\n")).toContain(`[sensitive, ${secrets.member?.length} characters]`);
    expect(rows.some((row) => row.startsWith("toolwright.schedules: "))).toBe(true);
    expect(rows.some((row) => row.startsWith("toolwright.tenant_keys: "))).toBe(true);
  });

  test("none is in an answer, a line of output, a log line, a command line or the environment of a child", () => {
    expect(findTraces(said.join("\n"), secrets)).toEqual([]);
  });

  test("none is in a row of the database", () => {
    expect(rows.length).toBeGreaterThan(60);
    for (const table of ["events", "approvals", "artifact_chunks", "idempotency_keys", "jobs", "secrets", "api_keys", "turns"])
      expect(
        rows.some((row) => row.startsWith(`toolwright.${table}: `)),
        table,
      ).toBe(true);
    expect(findTraces(rows.join("\n"), secrets)).toEqual([]);
  });

  test("none is in a file of the state, the database, its log, the backup, the temporary folder, the home or the workspace", () => {
    const places = ["state", "backup", "temporary", "home", "workspace"].map((name) => place.path(name));
    const files = [...places, data].flatMap((each) => [...readBelow(each)]);
    // What was written lies there as it is, so a canary would be found as well.
    expect(files.some(([, text]) => text.includes("large_output"))).toBe(true);
    expect(files.flatMap(([path, text]) => findTraces(`${path}\n${text}`, secrets))).toEqual([]);
  });
});
