import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "toolwright-policy-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFile(join(cwd, name), text);

const run = (...argv: string[]) => runIn(cwd, ["policy", ...argv], { env: { USER: "ann" } });

const readJson = (out: string): unknown[] =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const good = "version: 1\ncommands:\n  rules:\n    - { pattern: npm test, effect: allow, match: [npm test], not_match: [npm publish] }\n";

describe("policy check", () => {
  test("says that a policy is valid, and its revision", async () => {
    await write("policy.yaml", good);
    const { code, out } = await run("check", "policy.yaml");
    expect(out).toMatch(/^Valid: .*policy\.yaml\. 1 rule, 2 tests passed\. Revision [0-9a-f]{12}\.\n$/);
    expect(code).toBe(exitCodes.done);
  });

  test("names file, line and what to write, and fails", async () => {
    await write("policy.yaml", "version: 1\ntols: {}\n");
    expect(await run("check", "policy.yaml")).toEqual({
      code: exitCodes.failed,
      out: 'policy.yaml:2:1: tols is not a member (did you mean "tools"?)\n',
      err: "",
    });
    const { out } = await run("check", "policy.yaml", "--json");
    expect(JSON.parse(out)).toMatchObject({ valid: false, problems: [{ file: "policy.yaml", line: 2, column: 1 }] });
  });

  test("without a file and without one in force says what to do", async () => {
    expect(await run("check")).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining("Name one") });
  });
});

describe("policy test", () => {
  test("prints each test of each rule", async () => {
    await write("policy.yaml", good);
    const { code, out } = await run("test", "policy.yaml");
    expect(out).toContain('policy.yaml:4:7  allow "npm test"\n  ok      meets npm test\n  ok      leaves npm publish\n');
    expect(code).toBe(exitCodes.done);
  });

  test("runs on past a test that fails, and fails", async () => {
    await write("policy.yaml", "commands: { rules: [{ pattern: git *, effect: deny, match: [git push], not_match: [git status] }] }\n");
    const { code, out } = await run("test", "policy.yaml");
    expect(out).toContain("  ok      meets git push\n  FAILED  leaves git status\n");
    expect(code).toBe(exitCodes.failed);
    expect(JSON.parse((await run("test", "policy.yaml", "--json")).out)).toMatchObject({
      failed: 1,
      rules: [{ rule: "commands.rules[0]" }],
    });
  });
});

describe("policy lint", () => {
  test("places its findings, with a warning it fails", async () => {
    await write("policy.yaml", "version: 1\ntools:\n  deny: [file_delet]\n");
    const { code, out } = await run("lint", "policy.yaml");
    expect(out).toBe(
      'policy.yaml:3:10: warning: tools.deny[0]: "file_delet" is no tool and no group (did you mean "file_delete"?)\n1 warning, 0 hints.\n',
    );
    expect(code).toBe(exitCodes.failed);
  });

  test("with hints alone it does not fail", async () => {
    await write("policy.yaml", "commands: { rules: [{ pattern: npm test, effect: allow }] }\n");
    const { code, out } = await run("lint", "policy.yaml", "--json");
    expect(JSON.parse(out)).toMatchObject({ warnings: 0, findings: [{ level: "hint", line: 1, rule: "commands.rules[0]" }] });
    expect(code).toBe(exitCodes.done);
  });
});

test("policy schema prints the schema of a policy file", async () => {
  const schema = JSON.parse((await run("schema")).out);
  expect(schema).toMatchObject({ title: "Toolwright policy", type: "object", additionalProperties: false });
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(["include", "tools", "tenant", "agents"]));
});

test("the schema in the reference is the one that is printed", async () => {
  const page = new URL("../../../../../docs/reference/policy.schema.json", import.meta.url);
  expect(JSON.parse(await readFile(page, "utf8"))).toEqual(JSON.parse((await run("schema")).out));
});

describe("policy export", () => {
  test("writes the file to stdout, and what is lost to stderr", async () => {
    await write("policy.yaml", good);
    const { code, out, err } = await run("export", "policy.yaml", "--target", "claude-code");
    expect(JSON.parse(out)).toMatchObject({ permissions: { allow: ["Bash(npm test)"] } });
    expect(err).toMatch(/^This is \.claude\/settings\.json\.\n[\s\S]*degraded {5}commands\.rules\[0\]: It is not bound to the workspace/);
    expect(err).toMatch(/unsupported {2}commands\.block_high_risk: It has no classes of risk\./);
    expect(code).toBe(exitCodes.done);
  });

  test("names the nearest target for one that is not known", async () => {
    await write("policy.yaml", good);
    expect(await run("export", "policy.yaml", "--target", "gemini")).toMatchObject({
      code: exitCodes.usage,
      err: expect.stringContaining("Targets: claude-code, codex, gemini-cli"),
    });
  });
});

describe("policy simulate", () => {
  beforeEach(async () => {
    await write("changed.yaml", "version: 1\ntools: { ask: [file_write] }\ncommands: { rules: [{ pattern: git push *, effect: deny }] }\n");
    const event = (type: string, callId: string, input?: object) =>
      JSON.stringify({ type, callId, tool: "exec", tenant: "t", actor: { kind: "user", id: "u" }, door: "mcp", data: { input } });
    const lines = [
      event("tool.started", "c1", { command: "git status" }),
      event("tool.completed", "c1"),
      event("tool.needs_approval", "c2", { command: "git push origin" }),
      event("tool.started", "c2", { command: "git push origin" }),
      event("tool.denied", "c3"),
      JSON.stringify({ tool: "file_write", input: { path: "a", content: "b" } }),
      JSON.stringify({ tool: "file_wrte", input: {} }),
      "not JSON",
    ];
    await write("calls.jsonl", `${lines.join("\n")}\n`);
  });

  test("lists what would go differently, with the reason before and after", async () => {
    const { code, out } = await run("simulate", "--policy", "changed.yaml", "--calls", "calls.jsonl");
    expect(out).toMatch(
      /line 3: exec .*git push origin.*\n {2}before {2}ask: .*\(commands\.mode\)\n {2}after {3}deny: .*\(commands\.rules\[0\]\)/,
    );
    expect(out).toMatch(/line 6: file_write .*\n {2}before {2}allow: .*\n {2}after {3}ask: .*\(tools\.ask\[0\]\)/);
    expect(out).not.toContain("git status");
    expect(code).toBe(exitCodes.done);
  });

  test("tells each line that cannot be replayed (law 5)", async () => {
    const { out } = await run("simulate", "--policy", "changed.yaml", "--calls", "calls.jsonl", "--json");
    expect(readJson(out)).toMatchObject([
      { place: "line 3", tool: "exec", before: { effect: "ask" }, after: { effect: "deny" } },
      { leftOut: "line 5", reason: expect.stringContaining("does not hold the input") },
      { place: "line 6", tool: "file_write" },
      { leftOut: "line 7", reason: expect.stringContaining('did you mean "file_write"?') },
      { leftOut: "line 8", reason: expect.stringContaining("not a recorded call") },
      { calls: 3, flips: 2, changes: { "ask to deny": 1, "allow to ask": 1 }, leftOut: 3, redacted: 0 },
    ]);
  });

  test("decides a call whose long member the policy does not look at, and leaves out one where it does", async () => {
    const cut = { truncated: true, head: "git", length: 9_000 };
    const lines = [
      { tool: "file_write", input: { path: "a", content: cut } },
      { tool: "exec", input: { command: cut, timeout: 1 } },
      { tool: "file_write", input: cut },
      { tool: "http_request", input: { url: "https://example.org/[redacted]" } },
    ];
    await write("calls.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"));
    const { out } = await run("simulate", "--policy", "changed.yaml", "--calls", "calls.jsonl", "--json");
    expect(readJson(out)).toMatchObject([
      { place: "line 1", tool: "file_write", after: { effect: "ask" } },
      { leftOut: "line 2", reason: 'It depends on "command", of which the log holds only the beginning.' },
      { leftOut: "line 3", reason: "The log holds only the beginning of its input." },
      { calls: 2, leftOut: 2, redacted: 1 },
    ]);
  });

  test("takes its calls from the log or from a file, not from a choice of both", async () => {
    const { code, err } = await run("simulate", "--policy", "changed.yaml", "--calls", "calls.jsonl", "--since", "1d");
    expect(code).toBe(exitCodes.usage);
    expect(err).toContain("Leave them out with --calls");
    expect((await run("simulate", "--policy", "changed.yaml", "--calls", "gone.jsonl")).err).toContain("toolwright log export");
  });
});

test.each(["check", "lint", "test"])(
  "policy %s tells what is wrong with a policy that does not load on stdout, with one code",
  async (command) => {
    await write("policy.yaml", "version: 1\ntols: {}\n");
    expect(await run(command, "policy.yaml")).toEqual({
      code: exitCodes.failed,
      out: 'policy.yaml:2:1: tols is not a member (did you mean "tools"?)\n',
      err: "",
    });
  },
);
