import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Principal } from "@toolwright/engine";
import { compilePolicy } from "@toolwright/engine/policy";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadPolicyFile, PolicyFileError } from "./load-policy-file.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "toolwright-policy-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
}

const load = (name = "policy.yaml") => loadPolicyFile(name, { cwd });

async function problemsOf(name?: string): Promise<readonly string[]> {
  const error = await load(name).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PolicyFileError)) throw new Error(`It is valid, or failed otherwise: ${error}`);
  return error.problems.map(({ file, line, column, text }) => `${file}:${line}:${column} ${text}`);
}

describe("a file that is not valid is refused with file, line and what to write", () => {
  test.each([
    ["an unknown member", "version: 1\ntool: {}\n", /^policy\.yaml:2:1 tool is not a member \(did you mean "tools"\?\)/],
    [
      "an unknown member further in",
      "version: 1\ncommands:\n  block_high_risks: true\n",
      /^policy\.yaml:3:3 commands\.block_high_risks .*"block_high_risk"/,
    ],
    ["an unknown member of an agent", "agents:\n  - id: a\n    tool: {}\n", /^policy\.yaml:3:5 agents\[0\]\.tool .*"tools"/],
    ["a wrong type", "version: 1\ntools:\n  deny: exec\n", /^policy\.yaml:3:3 tools\.deny: must be a list, not "exec"/],
    [
      "a wrong word in a list",
      "version: 1\nnetwork:\n  allow:\n    - a.example\n    - https://b.example\n",
      /^policy\.yaml:5:7 network\.allow\[1\].*host rule/,
    ],
    ["a version that is not known", "version: 2\n", /^policy\.yaml:1:1 version/],
    [
      "a rule whose test fails",
      "commands:\n  rules:\n    - { pattern: ls *, effect: allow }\n    - { pattern: git status, effect: allow, match: [git push] }\n",
      /^policy\.yaml:4:7 commands\.rules\[1\]: .*does not match "git push"/,
    ],
    [
      "a pattern that covers nothing",
      "commands: { rules: [{ pattern: '*', effect: allow }] }\n",
      /^policy\.yaml:1:21 commands\.rules\[0\]: .*Begin it with the name of a program/,
    ],
    ["a member given twice", "version: 1\nautonomy: full\nautonomy: read_only\n", /^policy\.yaml:3:1 "autonomy" is given twice/],
    ["text that is not YAML", "version: [1\n", /^policy\.yaml:2:1 /],
    ["a tag that is not known", "version: !!js/function x\n", /^policy\.yaml:1:10 .*tag/i],
    ["an empty file", "", /^policy\.yaml:1:1 the document/],
    [
      "an agent named twice",
      "agents:\n  - id: a\n  - id: b\n  - id: a\n",
      /^policy\.yaml:4:5 agents\[2\]: the agent "a" is already at agents\[0\]/,
    ],
  ])("%s", async (_, text, expected) => {
    await write({ "policy.yaml": text });
    expect(await problemsOf()).toEqual([expect.stringMatching(expected)]);
  });

  test("JSON too", async () => {
    await write({ "policy.json": '{\n\t"version": 1,\n\t"tols": {}\n}\n' });
    expect(await problemsOf("policy.json")).toEqual([expect.stringMatching(/^policy\.json:3:2 tols is not a member/)]);
  });

  test.each<[string, string | Uint8Array, RegExp]>([
    ["the tag !!omap, which would lose a denial", "tools: !!omap [deny: [exec]]\n", /^policy\.yaml:1:8 .*!!omap.*plain/],
    ["the tag !!set", "version: 1\ntools: {deny: !!set {exec}}\n", /^policy\.yaml:2:15 .*!!set/],
    ["another version of YAML", "%YAML 1.1\n---\ncommands: {block_high_risk: no}\n", /^policy\.yaml:1:1 .*YAML 1\.2/],
    ["several documents", "version: 1\n---\ntools: {}\n", /^policy\.yaml:2:1 .*one document/],
    ["a member given twice, by its name", "tools: {}\ntools: {}\n", /^policy\.yaml:2:1 .*"tools" is given twice.*Join/],
    ["bytes that are no UTF-8", Buffer.from("version: 1\ntools: {deny: [ex\xffec]}\n", "latin1"), /^policy\.yaml:2:18 .*UTF-8/],
    ["UTF-16", Buffer.from("\ufeffversion: 1\n", "utf16le"), /^policy\.yaml:1:1 .*UTF-8/],
    ["nesting without end", `tools: ${"[".repeat(20_000)}`, /^policy\.yaml:1:\d+ .*nested too deeply/],
    ["more than 1 MiB", `# ${"x".repeat(1 << 20)}\n`, /^policy\.yaml:1:1 .*1 MiB/],
  ])("%s", async (_, text, expected) => {
    await writeFile(join(cwd, "policy.yaml"), text);
    expect(await problemsOf()).toContainEqual(expect.stringMatching(expected));
  });

  test("a folder, told where it is included", async () => {
    await write({ "policy.yaml": "include: [rules]\n", "rules/a.yaml": "" });
    expect(await problemsOf()).toEqual([expect.stringMatching(/^policy\.yaml:1:11 include\[0\]: rules is no file/)]);
    expect(await problemsOf("rules")).toEqual([expect.stringMatching(/^rules:1:1 is no file/)]);
  });

  test("a pipe, without waiting for it", async () => {
    execFileSync("mkfifo", [join(cwd, "policy.yaml")]);
    expect(await problemsOf()).toEqual([expect.stringMatching(/^policy\.yaml:1:1 is no file/)]);
  });

  test("so many problems are told by their number", async () => {
    await write({ "policy.yaml": Array.from({ length: 500 }, (_, index) => `k${index}: 1\n`).join("") });
    await expect(load()).rejects.toThrow(/^(?:.*\n){21} {2}480 more problems\. Correct these first\.$/);
  });

  test("every problem is named, not the first alone", async () => {
    await write({ "policy.yaml": "tol: {}\nautonomy: fully\n" });
    expect(await problemsOf()).toHaveLength(2);
  });

  test("an alias that grows without bound", async () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) =>
        `  a${level}: &a${level} [${Array(10)
          .fill(level === 0 ? "x" : `*a${level - 1}`)
          .join(", ")}]`,
    );
    await write({ "policy.yaml": `rates:\n${levels.join("\n")}\n` });
    expect(await problemsOf()).toEqual([expect.stringMatching(/alias/i)]);
  });
});

describe("a file includes others", () => {
  test("relative to itself; lists are joined, and its own single values hold", async () => {
    await write({
      "policy.yaml": "include: [shared/base.yaml]\nautonomy: supervised\ntools: { deny: [exec] }\n",
      "shared/base.yaml": "version: 1\nautonomy: full\ninclude: [more.json]\ntools: { deny: [browser] }\n",
      "shared/more.json": '{"$schema": "x", "rates": {"act": "5/s"}}',
    });
    const { file, files, positionOf } = await load();
    expect(file).toEqual({ autonomy: "supervised", tools: { deny: ["browser", "exec"] }, rates: { act: "5/s" } });
    expect(files).toEqual(["policy.yaml", "shared/base.yaml", "shared/more.json"].map((name) => join(cwd, name)));
    expect(positionOf(["tools", "deny", 0])).toMatchObject({ file: "shared/base.yaml", line: 4 });
    expect(positionOf(["tools", "deny", 1])).toMatchObject({ file: "policy.yaml", line: 3 });
  });

  test("a problem of an included file is told where it is", async () => {
    await write({ "policy.yaml": "include: [rules.yaml]\n", "rules.yaml": "commands:\n  rules:\n    - { pattern: ls, effect: alow }\n" });
    expect(await problemsOf()).toEqual([expect.stringMatching(/^rules\.yaml:3:22 commands\.rules\[0\]\.effect/)]);
  });

  test.each([
    ["itself", { "policy.yaml": "version: 1\ninclude: [policy.yaml]\n" }],
    ["one that includes it", { "policy.yaml": "version: 1\ninclude: [b.yaml]\n", "b.yaml": "version: 1\ninclude: [policy.yaml]\n" }],
  ])("a circle is refused: %s", async (_, files) => {
    await write(files);
    expect(await problemsOf()).toEqual([expect.stringMatching(/:2:11 include\[0\]: .*circle/)]);
  });

  test("a circle through a link is one too", async () => {
    await write({ "policy.yaml": "include: [link.yaml]\n" });
    await symlink(join(cwd, "policy.yaml"), join(cwd, "link.yaml"));
    expect(await problemsOf()).toEqual([expect.stringContaining("circle")]);
  });

  test("a file that is included by two others counts once", async () => {
    await write({
      "policy.yaml": "include: [a.yaml, b.yaml]\n",
      "a.yaml": "include: [c.yaml]\n",
      "b.yaml": "include: [c.yaml]\n",
      "c.yaml": "tools: { deny: [exec] }\n",
    });
    expect((await load()).file.tools).toEqual({ deny: ["exec"] });
  });

  test("a missing one is refused where it is named", async () => {
    await write({ "policy.yaml": "include:\n  - gone.yaml\n" });
    expect(await problemsOf()).toEqual([expect.stringMatching(/^policy\.yaml:2:5 include\[0\]: there is no file gone\.yaml/)]);
  });

  test("two that contradict each other are refused, unless the including file decides", async () => {
    const files = { "a.yaml": "autonomy: full\n", "b.yaml": "autonomy: read_only\n" };
    await write({ ...files, "policy.yaml": "include: [a.yaml, b.yaml]\n" });
    expect(await problemsOf()).toEqual([expect.stringMatching(/^b\.yaml:1:1 autonomy: "read_only" contradicts "full" at a\.yaml:1:1/)]);
    await write({ "policy.yaml": "include: [a.yaml, b.yaml]\nautonomy: supervised\n" });
    expect((await load()).file.autonomy).toBe("supervised");
  });

  test("one that must not be believed is refused (R-AP-8)", async () => {
    await write({ "policy.yaml": "include: [workspace/rules.yaml]\n", "workspace/rules.yaml": "autonomy: full\n" });
    const refuse = (path: string) => {
      if (path.includes("/workspace/")) throw new PolicyFileError(path, [], []);
    };
    await expect(loadPolicyFile("policy.yaml", { cwd, refuse })).rejects.toThrow(/workspace/);
  });
});

test("agents have documents of their own, which narrow the calls that they make or that are made for them", async () => {
  await write({
    "policy.yaml": "tenant: { tools: { ask: [file_read] } }\nagents:\n  - id: my-agent\n    tools: { allow: [exec], deny: [browser] }\n",
  });
  const { tiers, positionOf } = await load();
  expect(tiers.map(({ tier, agent }) => [tier, agent])).toEqual([
    ["platform", undefined],
    ["tenant", undefined],
    ["agent", "my-agent"],
  ]);
  expect(positionOf(["agents", 0, "tools", "deny", 0])).toMatchObject({ line: 4 });
  const policy = compilePolicy(tiers);
  const effectFor = (principal: Pick<Principal, "actor" | "agent">) =>
    policy
      .forPrincipal({ tenant: "acme", ...principal })
      .decideTool({ name: "file_read", group: "fs", effects: { files: "read" }, approval: "auto" }).effect;
  expect(effectFor({ actor: { kind: "user", id: "my-agent" } })).toBe("ask");
  expect(effectFor({ actor: { kind: "agent", id: "my-agent" } })).toBe("deny");
  expect(effectFor({ actor: { kind: "user", id: "ann" }, agent: "my-agent" })).toBe("deny");
  expect(effectFor({ actor: { kind: "agent", id: "other" } })).toBe("ask");
});
