import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  type AnyTool,
  type BaseContext,
  type CallResult,
  createEngine,
  defineTool,
  type Engine,
  fail,
  type Logger,
  parsePolicyDocument,
} from "@toolwright/engine";
import { createKeyring, openStore, type PostgresSecretStore, type Store, toMasterKey } from "@toolwright/postgres";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "@toolwright/postgres/testing";
import { createHostDriver, execCapability, filesCapability, httpCapability } from "@toolwright/sandbox";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

/** Nobody else has it; its signs are encoded differently everywhere. */
const canary = `cana/ry+${randomBytes(12).toString("hex")}="x y"&é`;
/** A sensitive member of an input, and one that a tool gives. */
const member = `memb/er+${randomBytes(12).toString("hex")}="x y"&é`;
const made = `made/it+${randomBytes(12).toString("hex")}="x y"&é`;
/** As tests search for them: whole and in part, since a part is as bad. */
const traces = [canary, member, made]
  .flatMap((value) => [value, value.slice(8, 32)])
  .flatMap((text) => {
    const bytes = Buffer.from(text);
    return [
      text,
      encodeURIComponent(text),
      bytes.toString("base64").slice(0, -4),
      bytes.toString("hex"),
      bytes.toString("hex").toUpperCase(),
    ];
  });
const encodings = ["hex", "base64", "base64url"] as const;
const person = { tenant: "acme", actor: { kind: "user", id: "ann" }, interactive: true, permissions: [], door: "cli" } as const;
const principal = { tenant: "acme", actor: { kind: "agent", id: "a" }, agent: "helper", permissions: [], door: "mcp" } as const;
const policy = parsePolicyDocument({
  version: 1,
  after_foreign: { outside: "none" },
  autonomy: "full",
  commands: { mode: "full", block_high_risk: false, approve_medium_risk: false },
  sandbox: { mode: "host", network: "host" },
});

type Context = BaseContext & {
  readonly secrets: { get(name: string): Promise<string> };
  readonly exec: { run(spec: object): Promise<{ stdout: string }> };
  readonly files: { write(path: string, content: string): Promise<unknown> };
  readonly http: { request(request: object): Promise<{ body: Uint8Array; headers: Readonly<Record<string, string>> }> };
};

/** Command lines and environments of all processes, while a tool held the secret. */
const seen: string[] = [];

/** Every way out of a tool. */
const leaks: Record<string, (value: string, context: Context) => unknown> = {
  returns: (value) => ({
    text: value,
    [value]: [encodeURIComponent(value), ...encodings.map((encoding) => Buffer.from(value).toString(encoding))],
  }),
  returns_much: (value) => ({ text: `${"x".repeat(300_000)}${value}${"y".repeat(300_000)}` }),
  throws(value) {
    throw new Error(`with ${value}`, { cause: new Error(encodeURIComponent(value)) });
  },
  fails: (value) => fail(value, `the value is ${value}`, { value, encoded: Buffer.from(value).toString("base64url") }),
  returns_no_json: (value) => ({ text: "x", [value]: () => value }),
  breaks_its_schema: (value) => ({ [value]: value }),
  prints_in_chunks(value, { output }) {
    for (const text of [value, Buffer.from(`ab${value}`).toString("base64"), JSON.stringify(JSON.stringify(value))])
      for (const character of `<${text}>\n`) output.append(character);
    return { text: "printed" };
  },
  reports_progress(value, { progress, log }) {
    progress(1, 2, `using ${value}`);
    for (const level of ["debug", "info", "warn", "error"] as const) log(level, `with ${Buffer.from(value).toString("hex")}`);
    return { text: "told" };
  },
  async saves_artifacts(value, { artifacts }) {
    await artifacts.save({ name: `${value}.txt`, mediaType: "text/plain", content: `a ${value} z ${encodeURIComponent(value)}` });
    await artifacts.save({
      name: "binary",
      mediaType: "application/octet-stream",
      content: Buffer.concat([Buffer.alloc(3, 255), Buffer.from(value)]),
    });
    return { text: "saved" };
  },
  async writes_files(value, { files }) {
    await files.write("notes.txt", `secret: ${value}`);
    return { text: `wrote ${value}` };
  },
  async has_a_child_print_it(value, { exec }) {
    const running = exec.run({ command: "cat; cat -- notes.txt; env; sleep 0.3", stdin: `${value}\n`.repeat(3) });
    let watching = true;
    const watched = (async () => {
      for (; watching; await setTimeout(50)) seen.push(...commandLinesAndEnvironments());
    })();
    const { stdout } = await running;
    watching = false;
    await watched;
    return { text: stdout };
  },
  async is_echoed_by_a_server(value, { http }) {
    const { body, headers } = await http.request({ url: "http://echo.example/", headers: { "x-token": encodeURIComponent(value) } });
    return { text: Buffer.from(body).toString("utf8"), headers: JSON.stringify(headers) };
  },
};

const secret = () => z.string().meta({ sensitive: true });
const vault = defineTool({
  name: "vault",
  description: "Keeps a password.",
  input: z.object({ auth: z.object({ password: secret() }) }),
  output: z.object({ echo: z.string(), token: secret() }),
  effects: { destructive: true },
  run: ({ auth }, { log, output }) => {
    log("info", auth.password);
    output.append(auth.password);
    return { echo: auth.password, token: made };
  },
});
const vaultAsked = defineTool({ ...vault, name: "vault_asked", approval: "always_ask" });
const outer = defineTool({
  name: "outer",
  description: "Calls both.",
  input: vault.input,
  output: z.object({ tokens: z.array(secret()) }),
  effects: { tools: ["vault", "vault_asked"] },
  async run(input, { tools }) {
    const ended = [await tools.call("vault", input), await tools.call("vault_asked", input)];
    return { tokens: ended.map((each) => (each.status === "done" ? (each.output as { token: string }).token : each.status)) };
  },
});

describe.each(testDatabaseKinds)("a canary among the secrets, %s (R-TN-4, pains 13 and 18)", (kind) => {
  const said: unknown[] = [];
  const closing: (() => unknown)[] = [];
  let test: TestDatabase;
  let store: Store;
  let secrets: PostgresSecretStore;
  let workspace: string;

  beforeAll(async () => {
    test = await openTestDatabase(kind);
    await test.database.close();
    store = await openStore({ url: test.url, folder: test.folder ?? "", process: "prc_canary", holder: "a test" });
    secrets = await store.openSecrets(createKeyring([toMasterKey(randomBytes(32))]));
    workspace = await mkdtemp(join(tmpdir(), "toolwright-canary-"));
    await secrets.set({ tenant: "acme", name: "CANARY" }, "what the agent does not get");
    await secrets.set({ tenant: "acme", name: "CANARY", agent: "helper" }, canary);
    await leakEverywhere();
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await store.close();
    await test.cleanup();
    await rm(workspace, { recursive: true, force: true });
  });

  async function leakEverywhere() {
    const echo = createServer((request, response) =>
      response.setHeader("x-echo", `${request.headers["x-token"]}`).end(JSON.stringify(request.headers)),
    );
    await once(echo.listen(0, "127.0.0.1"), "listening");
    const driver = createHostDriver();
    const workspaceOf = () => workspace;
    const logger: Logger = { log: (...words) => void said.push(words) };
    const engine = createEngine({
      tools: [vault, vaultAsked, outer, ...Object.entries(leaks).map(([name, leak]) => leakingTool(name, leak))],
      policy: [{ tier: "platform", document: policy }],
      capabilities: [
        filesCapability({ workspaceOf }),
        execCapability({ workspaceOf, drivers: [driver] }),
        httpCapability({
          resolve: async () => ["93.184.216.34"],
          connect: async () => {
            const socket = connect((echo.address() as AddressInfo).port, "127.0.0.1");
            await once(socket, "connect");
            return socket;
          },
        }),
      ],
      machine: () => ({ sandbox: { available: true, detail: "" } }),
      events: store.events,
      artifacts: store.artifacts,
      approvals: store.approvals,
      callTree: store.callTree,
      idempotency: store.idempotency,
      administration: { jobs: store.jobs, schedules: store.schedules },
      secrets,
      tenantKeys: secrets.tenantKeys,
      logger,
    });
    closing.push(
      () => engine.close(),
      () => driver.close(),
      () => echo.closeAllConnections(),
      () => echo.close(),
    );
    const scope = engine.scope(principal, { session: "s" });
    for (const name of Object.keys(leaks)) {
      const hear = {
        onOutput: (text: string) => said.push(text),
        onProgress: (step: unknown) => said.push(step),
        onLog: (...words: unknown[]) => said.push(words),
      };
      const result = await scope.invokeNamed(name, {}, hear);
      said.push(result);
      results.set(name, result);
    }
    await waitWithMembers(engine);
  }

  /** A sensitive member in each place where a call waits with it. */
  async function waitWithMembers(engine: Engine) {
    const input = { auth: { password: member } };
    const scope = engine.scope(person, { session: "members" });
    for (let time = 0; time < 2; time += 1) members.push(await scope.invokeNamed("vault", input, { idempotencyKey: "vault" }));
    for (const name of ["vault_asked", "outer"]) {
      const asked = await scope.invokeNamed(name, input);
      said.push(asked);
      if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
      await scope.answer(asked.approval.id, { kind: "approve" });
      members.push(await scope.resume(asked.approval.id));
    }
    said.push(await scope.invokeNamed("outer", input), await scope.invokeNamed("vault_asked", input, { idempotencyKey: "waits" }));
    said.push(await engine.operate(person, "jobs.enqueue", { tool: "vault", input }));
    said.push(await engine.operate(person, "schedules.create", { name: "nightly", tool: "vault", input, when: { cron: "0 0 1 1 *" } }));
  }
  const members: CallResult[] = [];
  const results = new Map<string, { readonly status: string }>();

  /** While it holds the secret, every process of the machine is looked at. */
  function leakingTool(name: string, leak: (value: string, context: Context) => unknown): AnyTool {
    return defineTool({
      name,
      description: "Leaks.",
      input: z.object({}),
      output: z.looseObject({ text: z.string() }),
      effects: { secrets: ["CANARY"], exec: "run", files: "write", http: "write" },
      run: async (_: unknown, context: unknown) => {
        const value = await (context as Context).secrets.get("CANARY");
        expect(value).toBe(canary);
        seen.push(...commandLinesAndEnvironments());
        return leak(value, context as Context);
      },
    } as never) as AnyTool;
  }

  const expectNoTrace = (text: string) => {
    for (const trace of traces) expect(text.includes(trace), `found ${trace}`).toBe(false);
  };

  it("is used by tools that all do what they are for", () => {
    const statuses = Object.fromEntries([...results].map(([name, { status }]) => [name, status]));
    const failing = ["throws", "fails", "returns_no_json", "breaks_its_schema"];
    for (const [name, status] of Object.entries(statuses))
      expect([name, status]).toEqual([name, failing.includes(name) ? "failed" : "done"]);
    expect(JSON.stringify(results.get("has_a_child_print_it"))).toContain("[redacted]");
    expect(JSON.stringify(results.get("is_echoed_by_a_server"))).toContain("[redacted]");
    expect(readFileSync(join(workspace, "notes.txt"), "utf8")).toContain(canary);
  });

  it("comes to the callers whole where it is a sensitive member of theirs", () => {
    const outputs = members.map((result) => (result.status === "done" ? result.output : result));
    expect(outputs).toEqual([...[1, 2, 3].map(() => ({ echo: "[redacted]", token: made })), { tokens: [made, made] }]);
  });

  it("is in no result, no progress, no output and no log line", () => {
    expectNoTrace(JSON.stringify(said));
    expectNoTrace(said.map((one) => JSON.stringify(one, (_, value) => (typeof value === "string" ? decode(value) : value))).join("\n"));
  });

  it("is in no command line and no environment of any process", () => {
    expect(seen.some((text) => text.includes("sleep"))).toBe(true);
    expectNoTrace(seen.join("\n"));
  });

  it("is in no row of any table, nor in an artifact", async () => {
    await settle();
    const tables = await store.database.owner
      .selectNoFrom(
        sql<
          string[]
        >`(select array_agg(format('%I.%I', schemaname, tablename)) from pg_tables where schemaname not in ('pg_catalog', 'information_schema'))`.as(
          "names",
        ),
      )
      .executeTakeFirstOrThrow();
    let rows = 0;
    for (const name of tables.names) {
      const found = await sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`.execute(store.database.owner);
      rows += found.rows.length;
      for (const { row } of found.rows) expectNoTrace(row);
    }
    expect(rows).toBeGreaterThan(Object.keys(leaks).length * 2);
    const kept = await store.artifacts.list("acme", "s");
    expect(kept.length).toBeGreaterThanOrEqual(3);
    for (const { id } of kept) expectNoTrace(Buffer.from((await store.artifacts.read("acme", id)).bytes).toString("latin1"));
  });

  it.runIf(kind === "embedded")("is in no byte of the data folder, its write-ahead log included", async () => {
    await settle();
    const folder = test.folder ?? "";
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile());
    expect(files.some((path) => path.includes("pg_wal"))).toBe(true);
    const bytes = files.map((path) => readFileSync(path).toString("latin1")).join("\n");
    // What was written lies there, so the search would find the canary as well.
    expect(bytes).toContain("returns_much");
    for (const trace of traces) expect(bytes.includes(Buffer.from(trace).toString("latin1")), `found ${trace}`).toBe(false);
  });

  async function settle() {
    await store.events.append([]);
    await sql`checkpoint`.execute(store.database.owner).catch(() => undefined);
  }
});

function decode(text: string): string {
  return /^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(text) ? Buffer.from(text, "base64").toString("utf8") : text;
}

/** Of every process that this user may look at. */
function commandLinesAndEnvironments(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => ["cmdline", "environ"].map((file) => readQuietly(`/proc/${id}/${file}`)));
}

/** Processes end while they are looked at. */
function readQuietly(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
