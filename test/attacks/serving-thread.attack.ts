/** R-TM-1, R-TM-2: what a caller sends costs the thread that serves everybody no more than its size. Judged by counts of steps, not by time. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { analyseLine, compilePattern } from "@toolwright/commands";
import { letterRules, matchList } from "@toolwright/commands/targets";
import { createEngine, type Principal } from "@toolwright/engine";
import { type TenantTool, toCodeTools } from "@toolwright/engine/catalogue";
import { policyDocument } from "@toolwright/engine/policy";
import { silentLogger } from "@toolwright/engine/ports";
import { filesCapability } from "@toolwright/sandbox";
import { builtinPermissions, fileTools } from "@toolwright/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest } from "../../packages/doors/test/rest-client.ts";
import { compileTenantTool } from "../../packages/engine/src/catalogue/compile-tenant-tool.ts";
import { patternSteps } from "../../packages/engine/src/schema/linear-pattern.ts";
import { secretValues } from "../../packages/sandbox/src/credentials/secret-values.ts";
import { findLines } from "../../packages/tools/src/fs/find-lines.ts";
import { FileLines, findHunk } from "../../packages/tools/src/fs/patch/find-hunk.ts";

const caller: Principal = { tenant: "acme", actor: { kind: "agent", id: "a" }, permissions: builtinPermissions, door: "mcp" };
const lines = (count: number, line = "x") => Array.from<string>({ length: count }).fill(line);
const sizes = [1, 2, 4, 8];

/** The most steps for each unit of input, over inputs of growing size. */
async function mostSteps(unit: number, count: (size: number) => number | Promise<number>): Promise<number> {
  const counted: number[] = [];
  for (const times of sizes) counted.push((await count(unit * times)) / (unit * times));
  return Math.max(...counted);
}

describe("R-TM-1: an edit or a patch of a file that repeats its lines", () => {
  let workspace: string;
  const engine = createEngine({
    tools: fileTools,
    capabilities: [filesCapability({ workspaceOf: () => workspace })],
    policy: [{ tier: "platform", document: policyDocument.parse({ version: 1, autonomy: "full" }) }],
    logger: silentLogger,
  });
  const scope = engine.scope(caller, { session: "s" });
  beforeAll(() => {
    workspace = mkdtempSync(join(tmpdir(), "toolwright-attack-"));
    writeFileSync(join(workspace, "same.txt"), `${lines(20_000).join("\n")}\n`);
    writeFileSync(
      join(workspace, "large.txt"),
      `${lines(20_000, "some words of a file that is long enough to be compared, again and again").join("\n")}\n`,
    );
  });
  afterAll(async () => {
    await engine.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  test.each<[name: string, tool: string, input: object, code: string]>([
    ["text that is absent", "file_edit", { path: "same.txt", oldText: [...lines(10_000), "y"].join("\n"), newText: "" }, "text_not_found"],
    [
      "text that is absent, with other blanks",
      "file_edit",
      { path: "same.txt", oldText: [...lines(10_000, " x"), "y"].join("\n"), newText: "" },
      "text_not_found",
    ],
    [
      "text that resembles all lines",
      "file_edit",
      { path: "large.txt", oldText: "some words of a file that is short", newText: "" },
      "text_not_found",
    ],
    [
      "a hunk of equal lines",
      "file_patch",
      { patch: `*** Begin Patch\n*** Update File: same.txt\n@@\n${lines(10_000, "-x").join("\n")}\n+y\n*** End Patch` },
      "text_not_unique",
    ],
    [
      "equal anchors",
      "file_patch",
      { patch: `*** Begin Patch\n*** Update File: same.txt\n${lines(20_000, "@@ x").join("\n")}\n-x\n+y\n*** End Patch` },
      "patch_too_large",
    ],
    [
      "equal hunks",
      "file_patch",
      { patch: `*** Begin Patch\n*** Update File: same.txt\n${lines(10_000, "@@\n x\n-x\n+y").join("\n")}\n*** End Patch` },
      "patch_too_large",
    ],
    [
      "very many lines",
      "file_patch",
      { patch: `*** Begin Patch\n*** Update File: same.txt\n@@\n${lines(60_000, "-x").join("\n")}\n*** End Patch` },
      "patch_too_large",
    ],
    [
      "a name with very many blanks",
      "file_patch",
      { patch: `*** Begin Patch\n*** Update File: same${" ".repeat(900_000)}.txt\n@@\n-x\n+y\n*** End Patch` },
      "denied",
    ],
    ["a path of slashes", "file_read", { path: `${"/".repeat(500_000)}x` }, "denied"],
  ])("%s is answered", async (_name, tool, input, code) => {
    const result = await scope.invokeNamed(tool, input as never);
    expect(result.status === "failed" ? JSON.stringify(result.error).slice(0, 2_000) : result.status).toContain(code);
  });

  test("looks at each line a few times, however often it stands in both texts", async () => {
    expect(
      await mostSteps(1_000, (size) => {
        let compared = 0;
        findLines(lines(2 * size), [...lines(size), "y"], (left, right) => {
          compared += 1;
          return left === right;
        });
        return compared;
      }),
    ).toBeLessThan(8);
    expect(
      await mostSteps(1_000, (size) => {
        const file = new FileLines(lines(2 * size).join("\n"));
        const hunk = lines(size).map((text) => ({ mark: "remove", text, ended: undefined }) as const);
        findHunk(file, { at: 1, lines: hunk, anchors: lines(3), before: undefined, atEnd: false });
        return file.steps;
      }),
    ).toBeLessThan(30);
  });
});

describe("R-TM-1: a multipart body", () => {
  const boundary = "----WebKitFormBoundaryABCDEFGHIJKLMNOP";
  const part = (headers = 'Content-Disposition: form-data; name="a"; filename="a"') => `--${boundary}\r\n${headers}\r\n\r\n\r\n`;

  test.each<[name: string, body: string]>([
    ["of very many empty parts", part().repeat(100_000)],
    ["of parts without an end", `--${boundary}\r\n`.repeat(100_000)],
    ["of one part with very many headers", part(`${"X: y\r\n".repeat(100_000)}Content-Disposition: form-data; name="a"`)],
    ["of one very long header", part(`Content-Disposition: form-data; name="${"a".repeat(1_000_000)}"`)],
  ])("%s is refused before it is parsed", async (_name, body) => {
    const { ask } = openRest();
    const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
    const response = await ask("POST", "/api/tools/measure/call", { body: `${body}--${boundary}--\r\n`, headers });
    expect([response.status, await response.json()]).toMatchObject([413, { code: "request_too_large" }]);
  });
});

describe("R-TM-1: texts that expressions of the product are held against", () => {
  test.each<[name: string, read: () => unknown]>([
    ["braces of a command line", () => analyseLine(`echo ${"{".repeat(10_000)}${",".repeat(10_000)}`)],
    ["slashes of a command line", () => analyseLine(`cat ${"/".repeat(30_000)}x`)],
    ["brackets of a test", () => analyseLine(`test ${"[".repeat(30_000)}`)],
    ["dots of a host", () => analyseLine(`curl ${"a.".repeat(15_000)}`)],
    ["digits of a program", () => analyseLine(`${"1".repeat(30_000)}x`)],
    ["labels of a value in a credential file", () => secretValues(`key = ${"aa.".repeat(200)}1!`)],
    ["blanks of a value in a credential file", () => secretValues(`key = "x${" ".repeat(50_000)}\u2028`)],
  ])("%s are read", (_name, read) => {
    read();
  });

  test("wildcards of a rule compare no more often than the product of both lengths", async () => {
    const rule = compilePattern(`ls ${"*a".repeat(40)}b`);
    const shape = rule?.words[1];
    expect(shape && "shape" in shape && shape.shape.test("a".repeat(5_000))).toBe(false);
    const pattern = Array.from(`${"*a".repeat(40)}b`);
    expect(
      await mostSteps(500, (size) => {
        let compared = 0;
        const isOne = (item: string, value: string) => {
          compared += 1;
          return letterRules.isOne(item, value);
        };
        matchList(pattern, lines(size, "a"), { ...letterRules, isOne });
        return compared;
      }),
    ).toBeLessThan(pattern.length);
  });
});

/** Patterns on which an engine that goes back takes minutes and years, and the text that it takes them for. */
const backtracking: readonly (readonly [pattern: string, character: string])[] = [
  ["^(a+)+$", "a"],
  ["^(a*)*$", "a"],
  ["^(a|a)*$", "a"],
  ["^(a|aa)+$", "a"],
  ["^(a|b|ab)*$", "ab"],
  ["(a+)+b", "a"],
  ["(.*)*!!$", "a"],
  ["(.+)+\\d$", "a"],
  ["^([a-z]+)*$", "a"],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
  ["^(\\w+\\s?)+$", "a"],
  ["^(\\w+\\s?)*$", "ab "],
  ["^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$", "a"],
  ["^(([a-z0-9]+)[.]?)+@x$", "a"],
  ["(?:a?){30}a{30}b", "a"],
  ["^(?:.*a){12}b$", "a"],
  ["(x+x+)+y", "x"],
  ["^(\\d+)*[a-z]$", "1"],
  ["^((ab)*)+$", "ab"],
  ["^(a{1,5})+$", "a"],
  ["^(?:a{0,3}){0,50}$", "a"],
  ["([ab]*a[ab]*)*c", "ab"],
  ["\\s+$|^(\\s*x)+$", " "],
  ["^(?:\\s*\\w+\\s*)+;$", "a "],
  ["(?:[^,]*,?)*;", "a,"],
  ["^(\\p{L}+)+$", "é"],
  ["^(.|\\n)*x$", "a\n"],
  ["(a|a?)+b", "a"],
  ["^(?:a+|b+)+c$", "ab"],
  ["^(0|[1-9]\\d*|\\d+)+$", "1"],
];

describe("R-TM-2: a pattern of a tenant's tool", () => {
  const toolWith = (tool: string, text: object): TenantTool => ({
    tool,
    title: tool,
    group: "own",
    description: "An own tool.",
    inputSchema: {
      type: "object",
      properties: { text: { type: "string", ...text } },
      additionalProperties: false,
    } as TenantTool["inputSchema"],
    outputSchema: { type: "object", properties: {} },
    approval: "auto",
    execution: null,
  });
  const save = (tool: TenantTool) => toCodeTools({ find: () => undefined }).checkOwn("acme", tool);
  const custom = backtracking.map(([pattern], at) => toolWith(`own_${at}`, { pattern }));
  const logged: string[] = [];
  const engine = createEngine({
    tools: [],
    policy: "full",
    // A row that an older version stored.
    tenantTools: {
      of: () => ({ overrides: [], custom: [...custom, toolWith("before", { pattern: "^(?!x).*$" })] }),
      onChange: () => () => {},
    },
    logger: { log: (_, message, fields) => logged.push(`${message} ${String(fields?.error ?? "")}`) },
  });
  const scope = engine.scope(caller, { session: "s" });
  afterAll(() => engine.close());

  test.each(backtracking.map(([pattern, character], at) => ({ pattern, character, at })))(
    "$pattern takes steps in proportion to the text",
    async ({ character, at }) => {
      save(custom[at]!);
      const input = compileTenantTool("acme", custom[at]!).input({ tenant: "acme", agent: undefined, attributes: {} });
      expect(
        await mostSteps(500, async (size) => {
          await Promise.resolve();
          const before = patternSteps();
          expect(input.parse({ text: `${character.repeat(size / character.length)}\0` })).toMatchObject({ ok: false });
          return patternSteps() - before;
        }),
      ).toBeLessThan(200);
      expect(await scope.invokeNamed(`own_${at}`, { text: `${character.repeat(2_000)}\0` })).toMatchObject({
        error: { code: "invalid_input" },
      });
    },
  );

  test.each(["^(?=a)b", "a(?!b)", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>", "a{100000}", "((a{100}){100}){100}"])(
    "%s is refused when it is saved, with the reason and what to do",
    (pattern) => {
      expect(() => save(toolWith("own", { pattern }))).toThrow(
        /The input schema of tool "own".*the pattern .* (?:looks|refers|has counts).*\. .+\./,
      );
      expect(() => save(toolWith("own", { type: "object", patternProperties: { [pattern]: {} }, additionalProperties: false }))).toThrow(
        /the pattern/,
      );
    },
  );

  test("that was stored before and cannot be held leaves its tool out, with the reason in the log", () => {
    expect(scope.find("before")).toBeUndefined();
    expect(scope.find("own_0")).toBeDefined();
    expect(logged.join("\n")).toMatch(/Tool "before" of tenant "acme" is left out\..*looks ahead or behind/);
  });

  test("with large counts and a long text ends at a budget, and says what to do", async () => {
    const counted = toolWith("counted", { pattern: "[a-z]{1,10000}!" });
    const input = compileTenantTool("acme", counted).input({ tenant: "acme", agent: undefined, attributes: {} });
    expect(input.parse({ text: "a".repeat(200_000) })).toMatchObject({
      ok: false,
      issues: [{ message: expect.stringMatching(/more than 10000000 steps.*shorter text/) }],
    });
  });
});
