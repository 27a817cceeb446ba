import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { finish, Place, waitForText } from "./run-cli.ts";
import { canSandbox } from "./sandbox-here.ts";

const sandboxed = await canSandbox();

let place: Place;
beforeEach(async () => {
  place = await Place.make();
  await mkdir(place.path("workspace"));
  await writeFile(place.path("workspace/a.txt"), "hello\nworld\n");
  await writeFile(place.path("asking.yaml"), "version: 1\ntools: { ask: [file_write] }\n");
});
afterEach(() => place.remove());

const policy = (text: string) => writeFile(place.path("policy.yaml"), text);
const freely = "version: 1\nautonomy: full\ncommands: { mode: full, block_high_risk: false, approve_medium_risk: false }\n";

describe("a call", () => {
  test.each<[string, string[], string?]>([
    ["fields", ["--path", "a.txt", "--start-line", "2"]],
    ["JSON", ['{"path": "a.txt", "startLine": 2}']],
    ["JSON on stdin", ["-"], '{"path": "a.txt", "startLine": 2}'],
    ["JSON and fields", ['{"path": "other.txt", "startLine": 2}', "--path", "a.txt"]],
  ])("takes its input as %s", async (_, words, stdin = "") => {
    const { code, out } = await place.run(["call", "file_read", ...words, "--json"], { stdin });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ status: "done", tool: "file_read", output: { text: expect.stringMatching(/^world\n?$/) } });
  });

  test("prints the result for people on stdout and nothing else", async () => {
    const { out, err } = await place.run(["call", "file_read", "--path", "a.txt"]);
    expect(out).toContain("hello\nworld");
    expect(err).toBe("");
  });
});

/** What the exit code says is part of the interface. */
test.each<[string, number, string[], RegExp]>([
  ["done", 0, ["call", "file_read", "--path", "a.txt"], /hello/],
  ["failed", 1, ["call", "file_read", "--path", "none.txt"], /file_not_found/],
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
  const { code, out, err } = await place.run(args);
  expect(out + err).toMatch(words);
  expect(code).toBe(expected);
});

test.runIf(sandboxed)("SIGINT cancels the running call, ends its processes, and the exit code is 5", async () => {
  await policy(freely);
  const child = place.start(["call", "exec", "--command", "echo started; sleep 4242", "--policy", "policy.yaml"]);
  await waitForText(child, /started/);
  const ended = finish(child);
  child.kill("SIGINT");
  const { code, err } = await ended;
  expect(err).toMatch(/Cancelled: /);
  expect(code).toBe(5);
  await expect.poll(() => processesNamed("sleep 4242")).toEqual([]);
});

test.each<[string, string[], RegExp]>([
  ["a command", ["lst"], /unknown command 'lst'\n\(Did you mean list\?\)/],
  ["an option", ["list", "--jsn"], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
  ["a tool", ["call", "file_raed"], /There is no tool "file_raed"\. Did you mean "file_read"\?/],
  ["a tool that is asked about", ["why", "flie_read"], /There is no tool "flie_read"\. Did you mean "file_read"\?/],
  ["a field", ["call", "file_read", "--pth", "a.txt"], /has no field "pth"\. Did you mean --path\? Its fields: --path, --startLine/],
  ["a group", ["list", "--group", "runtim"], /There is no group "runtim"\. Did you mean "runtime"\?/],
  ["a target", ["schema", "file_read", "--target", "opnai-strict"], /There is no target "opnai-strict"\. Did you mean "openai-strict"\?/],
])("a mistyped name of %s is answered with the nearest one, without a stack", async (_, args, expected) => {
  const { code, out, err } = await place.run(args);
  expect(err).toMatch(expected);
  expect(err).not.toMatch(/^\s+at /m);
  expect([code, out]).toEqual([2, ""]);
});

test("--verbose shows where an error came from", async () => {
  const { err } = await place.run(["call", "file_raed", "--verbose"]);
  expect(err).toMatch(/^\s+at .*find-tool\.ts/m);
});

test("list gives a table, and with --json the schemas", async () => {
  const table = await place.run(["list", "--group", "fs"]);
  expect(table.out).toMatch(/^NAME +GROUP +EFFECTS +DESCRIPTION\n/);
  expect(table.out).toMatch(/^file_read +fs +files:read +\S/m);
  const json = JSON.parse((await place.run(["list", "--json"])).out) as { name: string; inputSchema: unknown; outputSchema: unknown }[];
  expect(json.map(({ name }) => name)).toEqual(json.map(({ name }) => name).sort());
  expect(json.find(({ name }) => name === "exec")).toMatchObject({
    inputSchema: { type: "object" },
    outputSchema: { type: "object" },
    origin: { kind: "builtin" },
  });
});

test("list --search puts first what does it, and says when words alone decide", async () => {
  const { out, err } = await place.run(["list", "--search", "clone a git repository", "--group", "git", "--json"]);
  expect((JSON.parse(out) as { name: string }[]).map(({ name }) => name)).toEqual(["git_clone"]);
  expect(err).toBe("Found by words alone. No embedder is configured.\n");
});

test.runIf(sandboxed)("why names the rule that decides", async () => {
  const { code, out } = await place.run(["why", "exec", "--input", '{"command": "git push"}']);
  expect(out).toMatch(/visible[\s\S]*approval[\s\S]*rule: commands\.mode/i);
  expect(code).toBe(0);
  const json = JSON.parse((await place.run(["why", "exec", "--input", '{"command": "rm -rf /"}', "--json"])).out);
  expect(json).toMatchObject({ visible: true, decision: { effect: "deny" } });
});

test.each([
  ["openai-strict", { type: "function", name: "file_read", strict: true }],
  ["anthropic", { name: "file_read", input_schema: { type: "object" } }],
  ["gemini", { name: "file_read", parameters: expect.anything() }],
  ["bedrock", { toolSpec: { name: "file_read", inputSchema: { json: { type: "object" } } } }],
  ["mcp-2026-07-28", { name: "file_read", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
  ["json-schema-2020-12", { type: "object" }],
])("schema prints the definition for %s", async (target, expected) => {
  const { code, out } = await place.run(["schema", "file_read", "--target", target]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject(expected);
});

test("schema --report of a tool says what a target loses and rewrites, and where its rules come from", async () => {
  const text = await place.run(["schema", "file_read", "--target", "openai-strict", "--report"]);
  expect(text.out).toMatch(/^file_read for openai-strict: strict mode accepts it\./);
  expect(text.out).toMatch(/\/properties\/startLine +null +The member is required/);
  expect(text.out).toMatch(/Rules:\n- https:\/\/platform\.openai\.com\S+: [\s\S]* \(read \d{4}-\d\d-\d\d\): /);
  const json = JSON.parse((await place.run(["schema", "file_read", "--report", "--json"])).out) as { targets: { target: string }[] };
  expect(json.targets).toHaveLength(8);
});

test("doctor says what the machine gives, and R-SB-3: what is refused without a sandbox", async () => {
  const here = JSON.parse((await place.run(["doctor", "--json"])).out) as { checks: { name: string; state: string }[] };
  expect(here.checks.map(({ name }) => name)).toEqual([
    "driver bwrap",
    "driver nsjail",
    "driver docker",
    "driver host",
    "ripgrep",
    "policy",
    "store",
  ]);
  const bare = await place.run(["doctor"], { env: { PATH: "/nowhere" } });
  expect(bare.out).toMatch(/missing +ripgrep.*\n.*apt-get install ripgrep/);
});

test("doctor tells of a broken setting among its checks, and of everything else all the same", async () => {
  const { code, out, err } = await place.run(["doctor", "--json"], { env: { DATABASE_URL: "nonsense" } });
  const { checks } = JSON.parse(out || err) as { checks: { name: string; state: string; detail: string }[] };
  expect(checks.find(({ name }) => name === "store")).toMatchObject({ state: "broken", detail: expect.stringContaining("DATABASE_URL") });
  expect(checks.some(({ name }) => name === "driver bwrap")).toBe(true);
  expect(code).toBe(1);
});

test("R-SB-2: no option and no field turns the sandbox off", async () => {
  const help = await place.run(["call", "--help"]);
  const schema = await place.run(["schema", "exec", "--target", "json-schema-2020-12"]);
  expect(`${help.out}${schema.out}`).not.toMatch(/unsandboxed|no-sandbox|disable.?sandbox|dangerously/i);
});

test("a broken policy names the file, the place and the nearest member, and nothing runs", async () => {
  await policy("version: 1\ntools:\n  alow: [exec]\n");
  const { code, err } = await place.run(["call", "file_read", "--path", "a.txt", "--policy", "policy.yaml"]);
  expect(err).toMatch(/policy\.yaml is not valid:\n {2}policy\.yaml:3:3: tools\.alow is not a member \(did you mean "allow"\?\)/);
  expect(code).toBe(2);
});

test.runIf(sandboxed)(
  "pain 13, X4: ten megabytes of output come bounded, with a handle to the whole",
  async () => {
    await policy(freely);
    const command = "head -c 10000000 /dev/zero | tr '\\0' x";
    const { code, out } = await place.run(["call", "exec", "--command", command, "--policy", "policy.yaml", "--json"]);
    const result = JSON.parse(out) as { output: { stdout: string; truncated: boolean; artifacts: string[] } };
    expect(code).toBe(0);
    expect(result.output.truncated).toBe(true);
    expect(result.output.stdout.length).toBeLessThan(100_000);
    const whole = await place.run(["artifact", result.output.artifacts[0] ?? ""]);
    expect([whole.code, whole.out.length]).toEqual([0, 10_000_000]);
  },
  60_000,
);

describe("tools of one's own", () => {
  test("a new one works as it was written, passes the checks, and is not written over", async () => {
    const made = await place.run(["new", "tool", "word_count"]);
    expect([made.code, made.out]).toEqual([0, `${place.path("tools/word-count.tool.ts")}\n`]);
    expect(made.err).toContain("toolwright test ");
    const checked = await place.run(["test"]);
    expect(checked.out).toMatch(/1 file, \d+ checks: 0 failed/);
    expect(checked.code).toBe(0);
    const called = await place.run(["call", "word_count", "--path", "a.txt", "--longest", "--json"]);
    expect(JSON.parse(called.out)).toMatchObject({ status: "done", output: { words: 2, longest: "hello" } });
    const before = await readFile(place.path("tools/word-count.tool.ts"), "utf8");
    const again = await place.run(["new", "tool", "word_count"]);
    expect(again.err).toMatch(/is there already, and is left as it is/);
    expect(again.code).toBe(2);
    expect(await readFile(place.path("tools/word-count.tool.ts"), "utf8")).toBe(before);
  });

  test("a name that cannot be one is answered with one that can", async () => {
    const { code, err } = await place.run(["new", "tool", "Word Count!"]);
    expect(err).toMatch(/"Word Count!" cannot be a tool's name\. .* e\.g\. word_count\./);
    expect(code).toBe(2);
  });

  test("broken ones are refused with file, rule and what to do, and the rest stay", async () => {
    await place.run(["new", "tool", "good"]);
    const write = (name: string, text: string) => writeFile(place.path("tools", name), text);
    await write("syntax.tool.ts", "export default {{{");
    await write("plain.tool.ts", "export default { name: 'plain' };");
    const good = await readFile(place.path("tools/good.tool.ts"), "utf8");
    await write("taken.tool.ts", good.replace('"good"', '"file_read"'));
    await write("loose.tool.ts", good.replace('"good"', '"loose"').replace(".nullish()", ".transform(String)"));
    const { code, out } = await place.run(["test", "tools"]);
    expect(out).toMatch(/FAILED .*loose.*longest.*transform.*\(schema_refused\)/);
    expect(out).toMatch(/FAILED .*syntax\.tool\.ts.*\(load_failed\)/);
    expect(out).toMatch(/FAILED .*plain\.tool\.ts.*export default defineTool.*\(definition_invalid\)/);
    expect(out).toMatch(/FAILED .*"file_read" is taken by built-in.*\(duplicate_tool\)/);
    expect(code).toBe(1);
    const listed = await place.run(["list"]);
    expect(listed.err).toMatch(/Left out: .*syntax\.tool\.ts/);
    expect(listed.out).toMatch(/^good /m);
  });
});

test("progress, output and log of a tool go to stderr, its result to stdout", async () => {
  await mkdir(place.path("tools"));
  await writeFile(
    place.path("tools/talk.tool.ts"),
    `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "talk",
  description: "Says what it does while it does it.",
  input: z.object({}),
  output: z.object({ ok: z.boolean() }),
  run(_, ctx) {
    ctx.progress(1, 2, "half way");
    ctx.output.append("working\\u001b[2J\\n");
    ctx.log("warn", "careful");
    return { ok: true };
  },
});
`,
  );
  const { code, out, err } = await place.run(["call", "talk", "--tools", "tools"]);
  expect([code, JSON.parse(out)]).toEqual([0, { ok: true }]);
  for (const words of ["1/2 half way\n", "working<U+001B>[2J\n", "warn: careful\n"]) expect(err).toContain(words);
});

test("R-AP-8: tools and policies inside the workspace are neither loaded nor obeyed", async () => {
  await mkdir(place.path("workspace/tools"));
  await writeFile(place.path("workspace/tools/evil.tool.ts"), "throw new Error('ran');");
  await writeFile(place.path("workspace/policy.yaml"), freely);
  expect((await place.run(["list"])).err).toBe("");
  const refused = await place.run(["list", "--tools", "workspace/tools"]);
  expect(refused.err).toMatch(/lies in the workspace/);
  expect(refused.code).toBe(2);
});

test("the workspace is made when a call needs it, and that is said", async () => {
  const { err } = await place.run(["call", "file_list", "--path", ".", "--workspace", "fresh"]);
  expect(err).toContain(`Made the workspace ${place.path("fresh")}`);
  expect((await stat(place.path("fresh"))).isDirectory()).toBe(true);
});

test("a reader that has had enough is no error", async () => {
  const child = place.start(["list", "--json"]);
  child.stdout.destroy();
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code).toBe(0);
});

/** A Node below the oldest one that can run the sources, if this machine has one. */
const oldNode = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "node"))
  .find((path) => existsSync(path) && /^v(1\d|2[01])\./.test(execFileSync(path, ["--version"], { encoding: "utf8" })));

describe.skipIf(oldNode === undefined)("started by an old Node", () => {
  const node = oldNode ?? "";

  test("the pinned one takes over, and passes output and exit code on", async () => {
    const { code, err } = await place.run(["call", "file_raed"], { node });
    expect(err).toMatch(/Did you mean "file_read"/);
    expect(code).toBe(2);
  });

  test("a signal reaches it, and a killed parent ends it", async () => {
    const child = place.start(["serve", "--port", "0"], { node });
    const url = /http:\S+/.exec(await waitForText(child, /MCP +http:\S+\n/))?.[0] ?? "";
    expect((await fetch(new URL("/health", url))).status).toBe(200);
    child.kill("SIGKILL");
    await expect
      .poll(
        () =>
          fetch(new URL("/health", url)).then(
            () => "up",
            () => "down",
          ),
        { timeout: 10_000 },
      )
      .toBe("down");
  });
});

function processesNamed(words: string): string[] {
  const pids = execFileSync("ls", ["/proc"], { encoding: "utf8" })
    .split("\n")
    .filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").startsWith(words);
    } catch {
      return false;
    }
  });
}
