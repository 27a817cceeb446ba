import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createEngine, type Principal } from "@toolwright/engine";
import { policyDocument } from "@toolwright/engine/policy";
import { judgeExecCase } from "@toolwright/engine/testing";
import { filesCapability, gitCapability } from "@toolwright/sandbox";
import { builtinPermissions, fileTools, gitTools } from "@toolwright/tools";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** R-FS-7: what tools obey when somebody opens a folder, commits in it, or starts them there. */
const names =
  `.devcontainer/devcontainer.json .devcontainer.json mise.toml mise.local.toml .mise.toml .yarnrc .roo/mcp.json .amazonq/mcp.json
opencode.json opencode.jsonc .zed/settings.json .zed/tasks.json .vscode/tasks.json .vscode/settings.json .idea/workspace.xml .cursor/mcp.json
.cursorrules .windsurfrules .clinerules .kiro/hooks/a.json .gemini/settings.json .codex/config.toml .claude/settings.json .mcp.json mcp.json
.aider.conf.yml .envrc .tool-versions .nvmrc .python-version .prettierrc .eslintrc.json .babelrc .gitattributes .gitmodules .gitconfig
.pre-commit-config.yaml .lefthook.yml lefthook.yml Justfile justfile Taskfile.yml taskfile.yaml devenv.nix flake.nix shell.nix devbox.json
.github/hooks/a.json .github/copilot-instructions.md .gitlab-ci.yml .husky/pre-commit .exrc .nvim.lua .dir-locals.el team.code-workspace
CLAUDE.md AGENTS.md GEMINI.md bunfig.toml rust-toolchain.toml .cargo/config.toml .mvn/jvm.config .yarn/releases/yarn.cjs sitecustomize.py
gemini-extension.json .well-known/../.zed/keymap.json .nobody-has-heard-of/it.json`.split(/\s+/);

/** Another spelling of the same name, on some file system or for some reader of the path. */
const spellings: readonly (readonly [string, (name: string) => string])[] = [
  ["as it is", (name) => name],
  ["in a folder below", (name) => `packages/app/${name}`],
  ["in upper case", (name) => name.toUpperCase()],
  ["with full-width letters", (name) => name.replaceAll("e", "\uff45")],
  ["through a folder and back", (name) => `src/../${name}`],
  ["with doubled slashes", (name) => `.//${name.replaceAll("/", "//")}`],
];

const principal: Principal = { tenant: "t", actor: { kind: "agent", id: "a" }, permissions: builtinPermissions, door: "mcp" };
let workspace: string;
let scope: ReturnType<ReturnType<typeof createEngine>["scope"]>;
let close: () => Promise<void>;

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "toolwright-attack-"));
  const engine = createEngine({
    tools: [...fileTools, ...gitTools],
    capabilities: [filesCapability({ workspaceOf: () => workspace }), gitCapability({ workspaceOf: () => workspace, drivers: [] })],
    machine: () => ({ sandbox: { available: true, detail: "test" } }),
    policy: [{ tier: "platform", document: policyDocument.parse({ version: 1 }) }],
  });
  scope = engine.scope(principal, { session: "s" });
  close = () => engine.close();
});
afterEach(async () => {
  await close();
  rmSync(workspace, { recursive: true, force: true });
});

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
};

/** Each commits nobody to anything: it is either pending or refused, and the disk is as it was. */
const isHeld = (status: string) => expect(["pending", "denied", "failed"]).toContain(status);

describe("a file tool that nobody was asked about", () => {
  test.each(spellings)("writes no name that tools obey, %s (R-FS-7)", async (_how, spell) => {
    for (const name of names) {
      const { status } = await scope.invokeNamed("file_write", { path: spell(name), content: "planted" });
      expect([name, status]).not.toEqual([name, "done"]);
      isHeld(status);
    }
    expect(readdirSync(workspace)).toEqual([]);
  });

  test("edits and deletes none that is there, and reads it unasked", async () => {
    put("other.txt", "mine");
    for (const name of names.filter((each) => !each.includes(".."))) {
      put(name, "mine");
      isHeld((await scope.invokeNamed("file_edit", { path: name, oldText: "mine", newText: "planted" })).status);
      isHeld((await scope.invokeNamed("file_delete", { path: name })).status);
      for (const [to, from] of [
        [`*** Update File: ${name}`, "-mine\n+planted"],
        ["*** Update File: other.txt", `*** Move to: ${name}`],
        [`*** Delete File: ${name}`, ""],
      ]) {
        isHeld((await scope.invokeNamed("file_patch", { patch: `*** Begin Patch\n${to}\n${from}\n*** End Patch` })).status);
      }
      expect([name, readFileSync(join(workspace, name), "utf8")]).toEqual([name, "mine"]);
      expect([name, (await scope.invokeNamed("file_read", { path: name })).status]).toEqual([name, "done"]);
    }
  });

  test("writes none through a link of another name", async () => {
    put(".zed/settings.json", "mine");
    put("mise.toml", "mine");
    symlinkSync(".zed", join(workspace, "folder"));
    symlinkSync("mise.toml", join(workspace, "notes.txt"));
    isHeld((await scope.invokeNamed("file_write", { path: "folder/settings.json", content: "planted" })).status);
    isHeld((await scope.invokeNamed("file_write", { path: "folder/new.json", content: "planted" })).status);
    isHeld((await scope.invokeNamed("file_edit", { path: "notes.txt", oldText: "mine", newText: "planted" })).status);
    expect(readFileSync(join(workspace, ".zed/settings.json"), "utf8")).toBe("mine");
    expect(readFileSync(join(workspace, "mise.toml"), "utf8")).toBe("mine");
    expect(existsSync(join(workspace, ".zed/new.json"))).toBe(false);
  });

  test("makes no clone where tools obey it", async () => {
    for (const path of [".zed", "a/.vscode", "mise-tasks", ".github/hooks"]) {
      isHeld((await scope.invokeNamed("git_clone", { url: "https://example.com/a.git", path })).status);
    }
  });
});

test("ordinary files, and dot names that are known as harmless, are written unasked", async () => {
  const ordinary = `src/a.ts README.md package.json Makefile docs/x.md .gitignore sub/.gitkeep .editorconfig .dockerignore .env.example
    .github/ISSUE_TEMPLATE/bug.md .github/workflows/ci.yml .changeset/brave-cats.md data/tasks.json vite.config.ts Dockerfile public/.well-known/security.txt`;
  for (const path of ordinary.split(/\s+/)) {
    expect([path, (await scope.invokeNamed("file_write", { path, content: "x" })).status]).toEqual([path, "done"]);
  }
});

describe("a command that rules cover", () => {
  const allow =
    "tee *;cp *;mv *;ln *;touch *;mkdir *;rm *;install *;cd *;echo *;cat *;git mv *;git checkout *;git restore *;curl *;tar *;zip *;unzip *;dd *;sed *;sort *".split(
      ";",
    );
  const writers: readonly ((name: string) => string)[] = [
    (name) => `echo x > ${name}`,
    (name) => `cat a >> '${name}'`,
    (name) => `cat a | tee ${name}`,
    (name) => `tee -a sub/${name} < a`,
    (name) => `cp a ${name}`,
    (name) => `cp -r a packages/b/${name}`,
    (name) => `mv a "${name}"`,
    (name) => `git mv a ${name}`,
    (name) => `ln -s a ${name}`,
    (name) => `touch ${name}`,
    (name) => `mkdir -p ${name}`,
    (name) => `rm -f ${name}`,
    (name) => `install -m 644 a ${name}`,
    (name) => `git checkout main -- ${name}`,
    (name) => `git restore ${name}`,
    (name) => `zip ${name} a`,
    (name) => `tar cf ${name} a`,
    (name) => `sort -o ${name} a`,
    (name) => `sed -i s/a/b/ ${name}`,
    (name) => `dd if=a of=${name}`,
    (name) => `cd sub && tee ${name} < a`,
    (name) => `cd sub; cp a ${name}`,
    (name) => `cp a ${name.replace(/[a-z](?=[^a-z]*$)/, "?")}`,
  ];

  test.each(names)("does not write %s unasked, by whichever program (R-FS-7)", (name) => {
    const through = writers.map((write) => write(name)).filter((command) => judgeExecCase({ command, allow }) === "allow");
    expect(through).toEqual([]);
  });

  test.each([
    ["a folder that tools obey is entered first", "cd mise && tee config.toml < a"],
    ["it may have been entered", "cd mise; cp a config.toml"],
    ["a hidden folder is entered first", "cd .vscode && tee tasks.json < a"],
    ["a pattern means the file that is there", "tee mis?.toml < a"],
    ["a pattern is the target of a copy", "cp a J*file"],
    ["it is moved with its name", "mv evil/.zed sub"],
    ["it is copied with its name", "cp -r evil/mise.toml sub/"],
  ])("does not write one unasked when %s", (_how, command) => {
    expect(judgeExecCase({ command, allow })).not.toBe("allow");
  });

  test.each([
    "cp a.ts b.ts",
    "cp -r src build/src",
    "mv a.txt b.txt",
    "mkdir -p build/out",
    "touch src/new.ts",
    "cat a | tee build/log.txt",
    "rm -rf .next dist",
    "rm -rf node_modules/.cache",
    "tee .gitignore < a",
    "cp a .github/ISSUE_TEMPLATE/bug.md",
    "cd src && cp a.ts b.ts",
    "cp src/*.json build/",
    "cat .zed/settings.json",
    "sed -n '1,5p' Justfile",
    "git checkout main",
  ])("still runs when it is ordinary: %s", (command) => {
    expect(judgeExecCase({ command, allow })).toBe("allow");
  });
});
