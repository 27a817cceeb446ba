import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CallResult, createEngine, type Engine, type Principal } from "@toolwright/engine";
import { policyDocument } from "@toolwright/engine/policy";
import { execCapability, filesCapability } from "@toolwright/sandbox";
import { builtinPermissions, fileTools, runtimeTools } from "@toolwright/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findSandboxes } from "./support/sandboxes.ts";

const principal: Principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: builtinPermissions, door: "cli" };
const policy = policyDocument.parse({
  version: 1,
  commands: {
    mode: "allowlist",
    rules: ["npm test", "npm run build", "git add *", "git commit *", "git switch *", "git stash *"].map((pattern) => ({
      pattern,
      effect: "allow",
    })),
  },
});
const build = 'const fs=require("node:fs");fs.mkdirSync("out");for(let i=0;i<500;i++)fs.writeFileSync("out/f"+i,"x")';
const project: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ name: "p", scripts: { test: "node --test", build: "node build.cjs" } }),
  "build.cjs": build,
  "src/a.test.js": 'import { test } from "node:test";\ntest("adds", () => {});\n',
  "src/a.ts": "export const port = 80;\n",
  "README.md": "# P\n",
  ".gitignore": "out\n",
  ".env.example": "PORT=80\n",
};

/** Each stays unasked and ends with exit code 0; `shows` is part of what it prints. */
const tasks: readonly (readonly [command: string, shows: string])[] = [
  ["git status --short", "M src/a.ts"],
  ["git diff", "+export const port = 8080;"],
  ["git log --oneline -n 3", "first"],
  ["grep -rn port src", "src/a.ts:1:"],
  ["rg -n port src | head -20", "8080"],
  ["ls -la && cat package.json", "node --test"],
  ["find . -name '*.ts' | wc -l", "1"],
  ["sed -n '1,5p' README.md", "# P"],
  ["npm test", "pass 1"],
  ["cd src && npm test", "pass 1"],
  ["npm run build", "build"],
  ["ls out | wc -l", "500"],
  ["git add -A && git commit -m second", "second"],
  ["git status --short && git show --stat HEAD", "src/a.ts"],
  ["git switch -c topic", ""],
];

describe.each(await findSandboxes({ owners: true }))("$name: ordinary work stays unasked", ({ driver, missing, makeWorkspace }) => {
  let workspace: string;
  let engine: Engine;

  beforeAll(() => {
    workspace = makeWorkspace();
    for (const [path, text] of Object.entries(project)) writeIn(workspace, path, text);
    const git = (...args: string[]) => execFileSync("git", ["-c", "safe.directory=*", ...args], { cwd: workspace, stdio: "ignore" });
    git("init", "-q", "-b", "main");
    git("config", "user.name", "Ann");
    git("config", "user.email", "ann@example.org");
    git("add", "-A");
    git("commit", "-qm", "first");
    writeIn(workspace, "src/a.ts", "export const port = 8080;\n");
    giveAll(workspace);
    engine = createEngine({
      tools: [...fileTools, ...runtimeTools],
      capabilities: [
        filesCapability({ workspaceOf: () => workspace, driver }),
        execCapability({ drivers: [driver], workspaceOf: () => workspace }),
      ],
      machine: () => ({ sandbox: { available: true, detail: "" } }),
      policy: [{ tier: "platform", document: policy }],
    });
  });
  afterAll(async () => {
    await engine.close();
    await driver.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  test.skipIf(missing !== undefined).each(tasks)("%s", async (command, shows) => {
    const result = await engine.scope(principal, { session: "s" }).invokeNamed("exec", { command });
    expect(textOf(result), JSON.stringify(result)).toContain(shows);
    expect(result).toMatchObject({ status: "done", output: { exit: { exitCode: 0 } } });
  });
});

function writeIn(workspace: string, path: string, text: string): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
}

/** Everything belongs to the owner of the workspace, as if that user had made it. */
function giveAll(workspace: string): void {
  const { uid, gid } = statSync(workspace);
  if (uid === process.getuid?.()) return;
  for (const path of execFileSync("find", [workspace], { encoding: "utf8" }).trim().split("\n")) chownSync(path, uid, gid);
}

function textOf(result: CallResult): string {
  if (result.status !== "done") return result.status;
  return result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
