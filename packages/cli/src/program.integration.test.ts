import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@toolwright/postgres";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { canSandbox } from "../test/can-sandbox.ts";
import { runIn } from "../test/test-io.ts";

const sandboxed = await canSandbox();

let root: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeAll(async () => {
  database = await createServerDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-program-"));
  await mkdir(path("workspace"));
  await writeFile(path("workspace/a.txt"), "hello\nworld\n");
  await writeFile(path("asking.yaml"), "version: 1\ntools: { ask: [file_write] }\n");
});
afterEach(() => rm(root, { recursive: true, force: true }));

const path = (name: string, ...more: readonly string[]) => join(root, name, ...more);
const run = (argv: readonly string[], { env = {} }: { readonly env?: Readonly<Record<string, string>> } = {}) =>
  runIn(root, argv, { env: { DATABASE_URL: database.url, TOOLWRIGHT_EMBEDDER: "none", ...env } });

describe("a call", () => {
  test.each<[string, string[]]>([
    ["fields", ["--path", "a.txt", "--start-line", "2"]],
    ["JSON", ['{"path": "a.txt", "startLine": 2}']],
    ["JSON and fields", ['{"path": "other.txt", "startLine": 2}', "--path", "a.txt"]],
  ])("takes its input as %s", async (_, words) => {
    const { code, out } = await run(["call", "file_read", ...words, "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ status: "done", tool: "file_read", output: { text: expect.stringMatching(/^world\n?$/) } });
  });

  test("prints the result for people on stdout and nothing else", async () => {
    const { out, err } = await run(["call", "file_read", "--path", "a.txt"]);
    expect(out).toContain("hello\nworld");
    expect(err).toBe("");
  });
});

/** What the exit code says is part of the interface. */
test.each<[string, number, string[], RegExp]>([
  ["done", 0, ["call", "file_read", "--path", "a.txt"], /hello/],
  ["usage", 2, ["call", "file_read", "{path}"], /is not JSON/],
  ["usage, found by the schema", 2, ["call", "file_read", "--start-line", "2"], /invalid_input/],
  ["denied", 3, ["call", "exec", "--command", "rm -rf /"], /Denied: /],
  [
    "pending",
    4,
    ["call", "file_write", "--path", "b.txt", "--content", "x", "--policy", "asking.yaml"],
    /Waits for a person: [\s\S]*toolwright approvals approve apr_/,
  ],
])("the exit code of a call that is %s is %i", async (_, expected, args, words) => {
  const { code, out, err } = await run(args);
  expect(out + err).toMatch(words);
  expect(code).toBe(expected);
});

test.each<[string, string[], RegExp]>([
  ["a command", ["lst"], /unknown command 'lst'\n\(Did you mean list\?\)/],
  ["an option", ["list", "--jsn"], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
  ["a tool", ["call", "file_raed"], /There is no tool "file_raed"\. Did you mean "file_read"\?/],
  ["a tool that is asked about", ["why", "flie_read"], /There is no tool "flie_read"\. Did you mean "file_read"\?/],
  ["a tool that is written for a target", ["schema", "flie_read", "--target", "openai"], /There is no tool "flie_read"\. Did you mean/],
  ["a field", ["call", "file_read", "--pth", "a.txt"], /has no field "pth"\. Did you mean --path\? Its fields: --path, --startLine/],
  ["a group", ["list", "--group", "runtim"], /There is no group "runtim"\. Did you mean "runtime"\?/],
  ["a target", ["schema", "file_read", "--target", "opnai-strict"], /There is no target "opnai-strict"\. Did you mean "openai-strict"\?/],
])("a mistyped name of %s is answered with the nearest one, without a stack", async (_, args, expected) => {
  const { code, out, err } = await run(args);
  expect(err).toMatch(expected);
  expect(err).not.toMatch(/^\s+at /m);
  expect([code, out]).toEqual([2, ""]);
});

test("list gives a table, and with --json the schemas", async () => {
  const table = await run(["list", "--group", "fs"]);
  expect(table.out).toMatch(/^NAME +GROUP +EFFECTS +DESCRIPTION\n/);
  expect(table.out).toMatch(/^file_read +fs +files:read +\S/m);
  const json = JSON.parse((await run(["list", "--json"])).out) as { name: string; inputSchema: unknown; outputSchema: unknown }[];
  expect(json.map(({ name }) => name)).toEqual(json.map(({ name }) => name).sort());
  expect(json.find(({ name }) => name === "exec")).toMatchObject({
    inputSchema: { type: "object" },
    outputSchema: { type: "object" },
    origin: { kind: "builtin" },
  });
});

test("list --search puts first what does it, and says when words alone decide", async () => {
  const { out, err } = await run(["list", "--search", "clone a git repository", "--group", "git", "--json"]);
  expect((JSON.parse(out) as { name: string }[]).map(({ name }) => name)).toEqual(["git_clone"]);
  expect(err).toBe("Found by words alone. No embedder is configured.\n");
});

test.runIf(sandboxed)("why names the rule that decides", async () => {
  const { code, out } = await run(["why", "exec", "--input", '{"command": "git push"}']);
  expect(out).toMatch(/visible[\s\S]*approval[\s\S]*rule: commands\.mode/i);
  expect(code).toBe(0);
  const json = JSON.parse((await run(["why", "exec", "--input", '{"command": "rm -rf /"}', "--json"])).out);
  expect(json).toMatchObject({ visible: true, decision: { effect: "deny" } });
});

test.each([
  ["openai-strict", { type: "function", name: "file_read", strict: true }],
  ["anthropic", { name: "file_read", input_schema: { type: "object" } }],
  ["gemini", { name: "file_read", parametersJsonSchema: { type: "object", additionalProperties: false } }],
  ["bedrock", { toolSpec: { name: "file_read", inputSchema: { json: { type: "object" } } } }],
  ["mcp-2026-07-28", { name: "file_read", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
  ["json-schema-2020-12", { type: "object" }],
])("schema prints the definition for %s", async (target, expected) => {
  const { code, out } = await run(["schema", "file_read", "--target", target]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject(expected);
});

test("schema --report of a tool says what a target loses and rewrites, and where its rules come from", async () => {
  const text = await run(["schema", "file_read", "--target", "openai-strict", "--report"]);
  expect(text.out).toMatch(/^file_read for openai-strict: strict mode accepts it\./);
  expect(text.out).toMatch(/\/properties\/startLine +null +The member is required/);
  expect(text.out).toMatch(/Rules:\n- https:\/\/platform\.openai\.com\S+: [\s\S]* \(read \d{4}-\d\d-\d\d\): /);
  const json = JSON.parse((await run(["schema", "file_read", "--report", "--json"])).out) as { targets: { target: string }[] };
  expect(json.targets).toHaveLength(8);
});

test("schema --report of all tools says what each costs, and what is missing for a definition is named", async () => {
  const { out } = await run(["schema", "--report", "--target", "anthropic"]);
  expect(out).toMatch(/^TOOL +DESCRIPTION +SCHEMA +EXAMPLES +TOKENS +NOT SAID\n[\s\S]*About \d+ tokens for anthropic in every request\./);
  const json = JSON.parse((await run(["schema", "--report", "--json"])).out) as { total: number; tools: { total: number }[] };
  expect(json).toMatchObject({ target: "mcp-2026-07-28", total: json.tools.reduce((sum, each) => sum + each.total, 0) });
  expect(await run(["schema"])).toMatchObject({ code: 2, err: expect.stringContaining("Name a tool, or pass --report.") });
  expect(await run(["schema", "exec"])).toMatchObject({ code: 2, err: expect.stringContaining("Name a --target, or pass --report.") });
});

test("doctor says what the machine gives, and R-SB-3: what is refused without a sandbox", async () => {
  const here = JSON.parse((await run(["doctor", "--json"])).out) as { checks: { name: string; state: string }[] };
  expect(here.checks.map(({ name }) => name)).toEqual([
    "driver bwrap",
    "driver nsjail",
    "driver docker",
    "driver host",
    "ripgrep",
    "browser",
    "policy",
    "store",
    "vectors",
  ]);
  const bare = await run(["doctor"], { env: { PATH: "/nowhere", TOOLWRIGHT_CHROMIUM: "/nowhere/chromium" } });
  expect(bare.out).toMatch(/missing +browser: There is no \/nowhere\/chromium.*\n.*apt-get install chromium/);
  expect(bare.out).toMatch(/missing +ripgrep.*\n.*apt-get install ripgrep/);
});

test("doctor lists the folders that the policy opens beside the workspace, and which of them are not there", async () => {
  const [data, gone] = ["/usr/share", "/srv/nothing-of-this-name"];
  await writeFile(path("opens.yaml"), `version: 1\npaths:\n  roots:\n    - { path: ${data}, access: read }\n`);
  const look = async () => (await run(["doctor"], { env: { TOOLWRIGHT_POLICY: path("opens.yaml") } })).out;
  expect(await look()).toContain(`ok       policy: ${path("opens.yaml")}; it opens "${data}" for reading beside the workspace`);
  await writeFile(path("opens.yaml"), `version: 1\npaths:\n  roots:\n    - { path: ${gone}, access: write }\n`);
  expect(await look()).toMatch(
    /^missing +policy: .* for reading and writing beside the workspace. There is no folder "\/srv\/nothing-of-this-name"\n +remedy: make/m,
  );
});

test("doctor says that it could not look for vectors, nor count sessions, where the database is away", async () => {
  const { checks } = JSON.parse((await run(["doctor", "--json"], { env: { DATABASE_URL: "postgres://127.0.0.1:1/none" } })).out) as {
    checks: { name: string; state: string; detail: string }[];
  };
  expect(checks.find(({ name }) => name === "vectors")).toMatchObject({
    state: "missing",
    detail: expect.stringMatching(/could not be asked .*127\.0\.0\.1, port 1/s),
  });
  expect(checks.find(({ name }) => name === "sessions")).toMatchObject({
    state: "missing",
    detail: expect.stringMatching(/^Sessions without an owner could not be counted: .*127\.0\.0\.1, port 1/s),
  });
});

test("doctor counts the sessions of an embedded store, and makes no store", async () => {
  const env = { DATABASE_URL: "", TOOLWRIGHT_STATE: path("state") };
  const sessions = async () => {
    const { checks } = JSON.parse((await run(["doctor", "--json"], { env })).out) as { checks: { name: string; detail: string }[] };
    return checks.find(({ name }) => name === "sessions")?.detail;
  };
  expect(await sessions()).toBeUndefined();
  expect(existsSync(path("state/store"))).toBe(false);

  const cache = process.env.TOOLWRIGHT_TEST_CACHE;
  const store = await openStore({ folder: path("state/store"), ...(cache && { cache }), process: "test", holder: "a test" });
  await sql`insert into toolwright.sessions (tenant, session, created_at, last_at) values ('default', 'old', now(), now())`.execute(
    store.database.owner,
  );
  expect(await sessions()).toMatch(/^1 session has no owner, .* see it\.$/);
  await store.close();
});

test("db vectors says what a server lacks, and finds nothing to do in an embedded store", async () => {
  const kept = await run(["db", "vectors"]);
  const lacks = /^Vectors took no part: the database has no extension vector/;
  if (kept.code === 69) expect(kept.err).toMatch(lacks);
  else
    expect(kept.out).toMatch(
      /^pgvector [\d.]+ in the schema toolwright_vectors, vectors: 0 of memories, 0 of chunks\nNo tenant has 20,000/,
    );
  const embedded = await run(["db", "vectors", "--json"], { env: { DATABASE_URL: "" } });
  expect(JSON.parse(embedded.out)).toMatchObject({ kind: "embedded", indexes: [] });
});

test("doctor tells of a broken setting among its checks, and of everything else all the same", async () => {
  const { code, out, err } = await run(["doctor", "--json"], { env: { DATABASE_URL: "nonsense" } });
  const { checks } = JSON.parse(out || err) as { checks: { name: string; state: string; detail: string }[] };
  expect(checks.find(({ name }) => name === "store")).toMatchObject({ state: "broken", detail: expect.stringContaining("DATABASE_URL") });
  expect(checks.some(({ name }) => name === "driver bwrap")).toBe(true);
  expect(code).toBe(1);
});

test("R-SB-2: no option and no field turns the sandbox off", async () => {
  const help = await run(["call", "--help"]);
  const schema = await run(["schema", "exec", "--target", "json-schema-2020-12"]);
  expect(`${help.out}${schema.out}`).not.toMatch(/unsandboxed|no-sandbox|disable.?sandbox|dangerously/i);
});

test("a broken policy names the file, the place and the nearest member, and nothing runs", async () => {
  await writeFile(path("policy.yaml"), "version: 1\ntools:\n  alow: [exec]\n");
  const { code, err } = await run(["call", "file_read", "--path", "a.txt", "--policy", "policy.yaml"]);
  expect(err).toMatch(/policy\.yaml is not valid:\n {2}policy\.yaml:3:3: tools\.alow is not a member \(did you mean "allow"\?\)/);
  expect(code).toBe(2);
});

test("a tool's name that cannot be one is answered with one that can", async () => {
  const { code, err } = await run(["new", "tool", "Word Count!"]);
  expect(err).toMatch(/"Word Count!" cannot be a tool's name\. .* e\.g\. word_count\./);
  expect(code).toBe(2);
});

test("tools of one's own that are broken are refused with file, rule and what to do, and the rest stay", async () => {
  await run(["new", "tool", "good"]);
  const write = (name: string, text: string) => writeFile(path("tools", name), text);
  await write("syntax.tool.ts", "export default {{{");
  await write("plain.tool.ts", "export default { name: 'plain' };");
  const good = await readFile(path("tools/good.tool.ts"), "utf8");
  await write("taken.tool.ts", good.replace('"good"', '"file_read"'));
  await write("loose.tool.ts", good.replace('"good"', '"loose"').replace(".nullish()", ".transform(String)"));
  const { code, out } = await run(["test", "tools"]);
  expect(out).toMatch(/FAILED .*loose.*longest.*transform.*\(schema_refused\)/);
  expect(out).toMatch(/FAILED .*syntax\.tool\.ts.*\(load_failed\)/);
  expect(out).toMatch(/FAILED .*plain\.tool\.ts.*export default defineTool.*\(definition_invalid\)/);
  expect(out).toMatch(/FAILED .*"file_read" is taken by built-in.*\(duplicate_tool\)/);
  expect(code).toBe(1);
  const listed = await run(["list"]);
  expect(listed.err).toMatch(/Left out: .*syntax\.tool\.ts/);
  expect(listed.out).toMatch(/^good /m);
});

test("R-AP-8: tools and policies inside the workspace are neither loaded nor obeyed", async () => {
  await mkdir(path("workspace/tools"));
  await writeFile(path("workspace/tools/evil.tool.ts"), "throw new Error('ran');");
  await writeFile(path("workspace/policy.yaml"), "version: 1\nautonomy: full\n");
  expect((await run(["list"])).err).toBe("");
  const refused = await run(["list", "--tools", "workspace/tools"]);
  expect(refused.err).toMatch(/lies in the workspace/);
  expect(refused.code).toBe(2);
});

test("the workspace is made when a call needs it, and the command names it", async () => {
  const { err } = await run(["call", "file_list", "--path", ".", "--workspace", "fresh"]);
  expect(err).toContain(`Made the workspace ${path("fresh")}`);
  expect((await stat(path("fresh"))).isDirectory()).toBe(true);
});
