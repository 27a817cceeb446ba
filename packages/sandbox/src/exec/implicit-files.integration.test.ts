import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { implicitCode } from "@toolwright/commands";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fingerprintCommand } from "./fingerprint-command.ts";
import { findUnsettled } from "./implicit-files.ts";

let workspace: string;

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "toolwright-implicit-"));
  mkdirSync(join(workspace, "sub/deep"), { recursive: true });
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
};
const print = (command: string, workdir: string | null = null) => fingerprintCommand(() => workspace, { command, workdir });

const rows: readonly [name: string, line: string, path: string, workdir?: string][] = [
  ["npm test", "npm test", "package.json"],
  ["npm run in a folder below", "npm run build", "package.json", "sub/deep"],
  ["the nearer package.json, too", "npm run build", "sub/package.json", "sub/deep"],
  ["npm with a prefix", "npm --prefix sub test", "sub/package.json"],
  ["pnpm -C", "pnpm -C sub run build", "sub/package.json"],
  ["yarn after cd", "cd sub && yarn start", "sub/package.json"],
  ["npm after two cds", "cd sub && cd deep && npm test", "sub/deep/package.json"],
  ["npm in an inner line", `sh -c "cd sub && npm test"`, "sub/package.json"],
  ["the settings of npm", "npm test", ".npmrc"],
  ["npx", "npx thing", "node_modules/.bin/thing"],
  ["make", "make", "Makefile"],
  ["make, by its other names", "timeout 5 make all", "GNUmakefile"],
  ["make -f", "make -f other.mk", "other.mk"],
  ["make -C", "make -Csub all", "sub/Makefile"],
  ["make by its path", "/usr/bin/make", "makefile"],
  ["make in quotes", `"ma"'ke' all`, "Makefile"],
  ["pytest", "pytest -q", "conftest.py"],
  ["pytest of a folder", "pytest sub/deep", "sub/conftest.py"],
  ["pytest by python", "python3 -m pytest", "pytest.ini"],
  ["settings of pytest", "pytest", "pyproject.toml"],
  ["cargo", "cargo test", "Cargo.toml"],
  ["a build script of cargo", "cargo build", "build.rs"],
  ["settings of cargo", "cargo build", ".cargo/config.toml"],
  ["go generate", "go generate ./...", "tool.go"],
  ["tsc -p", "tsc -p sub", "sub/tsconfig.json"],
  ["vitest", "vitest run", "vitest.config.ts"],
  ["jest", "npx jest", "jest.config.js"],
  ["eslint", "eslint .", "eslint.config.mjs"],
  ["prettier", "prettier -c .", ".prettierrc.js"],
  ["biome", "biome check", "biome.json"],
  ["just", "just build", "justfile"],
  ["node --import of a module by its name", "node --import hook app.js", "node_modules/hook/package.json"],
  ["node -r without the ending", "node -r ./hook app.js", "hook.js"],
  ["python -m", "python -m tools.run", "tools/run.py"],
  ["python -m of a package", "python3.12 -m tools", "tools/__main__.py"],
  ["git, whose hooks lie in the workspace", "git commit -m x", ".husky/pre-commit"],
  ["terraform", "terraform apply", "main.tf"],
  ["docker compose", "docker compose up", "compose.yaml"],
];

describe("an approval of a command holds what it reads without naming it (R-AP-3)", () => {
  test.each(rows)("%s: a file that changes, appears or goes makes another fingerprint, and is named", async (_, line, path, workdir) => {
    const absent = await print(line, workdir);
    put(path, "one");
    const there = await print(line, workdir);
    expect(there.digest).not.toBe(absent.digest);
    expect(await print(line, workdir)).toEqual(there);
    put("unread.txt", "x");
    expect(await print(line, workdir)).toEqual(there);
    put(path, "two");
    const changed = await print(line, workdir);
    expect(changed.digest).not.toBe(there.digest);
    expect(new Map(changed.parts).get(path)).not.toBe(new Map(there.parts).get(path));
    rmSync(join(workspace, path));
    expect((await print(line, workdir)).digest).not.toBe(changed.digest);
  });

  test.each([
    ["a script that it names", "node build.js", "build.js"],
    ["settings of a program that it starts", "vitest run", "vitest.config.ts"],
    ["a script in a folder that it enters", "cd sub && bash go.sh", "sub/go.sh"],
  ])("a script of package.json counts with %s", async (_, script, path) => {
    put("package.json", JSON.stringify({ scripts: { test: script } }));
    const before = await print("npm test");
    put(path, "x");
    expect((await print("npm test")).digest).not.toBe(before.digest);
  });

  test.each([
    ["workspaces", "package.json", '{"workspaces": ["libs/*"]}', "libs/a/package.json"],
    ["workspaces of yarn", "package.json", '{"workspaces": {"packages": ["./libs/a"]}}', "libs/a/package.json"],
    ["workspaces at any depth", "package.json", '{"workspaces": ["libs/**"]}', "libs/a/b/package.json"],
    ["pnpm-workspace.yaml", "pnpm-workspace.yaml", "packages:\n  - 'libs/*'\n", "libs/a/package.json"],
  ])("a package of %s counts, by whatever name the line calls it", async (_, list, text, path) => {
    put(list, text);
    put(path, "{}");
    const before = await print("npm test -w some-name");
    put(path, '{"scripts": {"test": "rm -rf ."}}');
    expect((await print("npm test -w some-name")).digest).not.toBe(before.digest);
  });

  test.each([
    '{"workspaces": 5}',
    '{"workspaces": [5, "../.."]}',
    '{"workspaces": null}',
    '{"scripts": 5}',
    "null",
    "{",
    '{"scripts": {"a": 1}}',
  ])("a package.json of %s does no harm", async (text) => {
    put("package.json", text);
    expect((await print("npm test")).digest).not.toBe("missing");
  });

  test("a program of a package counts by what its link leads to", async () => {
    put("node_modules/thing/cli.js", "one");
    mkdirSync(join(workspace, "node_modules/.bin"));
    symlinkSync("../thing/cli.js", join(workspace, "node_modules/.bin/thing"));
    const before = await print("npx thing");
    put("node_modules/thing/cli.js", "two");
    expect((await print("npx thing")).digest).not.toBe(before.digest);
  });

  test("a loop that enters a folder counts with the files there", async () => {
    const line = "for i in 1 2; do ./run.sh; cd sub; done";
    const before = await print(line);
    put("sub/run.sh", "x");
    expect((await print(line)).digest).not.toBe(before.digest);
  });

  test("nothing above the workspace is looked at", async () => {
    const outer = workspace;
    workspace = join(outer, "sub");
    const before = await print("make", "deep");
    writeFileSync(join(outer, "Makefile"), "all:");
    expect(await print("make", "deep")).toEqual(before);
    workspace = outer;
  });

  test("of more folders than it looks at nobody is asked", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `d${index}`);
    for (const name of names) mkdirSync(join(workspace, name));
    expect((await print(`ls ${names.join(" ")}`)).unsettled).toMatch(/more than 32 folders.*Split it/);
    expect((await print(`ls ${names.slice(0, 20).join(" ")}`)).unsettled).toBeUndefined();
  });
});

test("of more words than it looks up nobody is asked", async () => {
  for (let index = 0; index < 20; index++) mkdirSync(join(workspace, `d${index}`));
  const folders = Array.from({ length: 20 }, (_, index) => `cd d${index}`).join("; ");
  const words = Array.from({ length: 1500 }, (_, index) => `w${index}`).join(" ");
  expect((await print(`${folders}; echo ${words}`)).unsettled).toMatch(/too many words/);
  expect((await print(`echo ${words}`)).unsettled).toBeUndefined();
});

describe("a line of which only the run says where it looks", () => {
  test.each([
    'cd "$DIR" && make',
    "cd $(cat where) && npm test",
    "cd `cat where`; npm test",
    "cd s*b && make",
    "cd ~ && make",
    "cd - && make",
    "pushd $X; make",
    "popd; make",
    "make -C $DIR",
    "make -C$DIR",
    'make -f "$FILE"',
    "npm --prefix=$DIR test",
    "pnpm -C {a,b} test",
    "tsc -p $P",
    "node --import $HOOK app.js",
    "python -m $MODULE",
    "sh -c 'cd $1 && make' _ sub",
  ])("%s: is not asked about, and says what to write", async (line) => {
    expect(await print(line)).toMatchObject({ unsettled: expect.stringMatching(/Write out the folder/) });
  });

  test.each([
    "cd sub && make",
    "make CC=$CC",
    "rm -f *.o && make",
    "npm test -- --grep 'a*b'",
    "pytest tests/*.py",
    `node -p "1 * 2"`,
    `python3 -c "print([1][0])"`,
    "go test ./... -run 'Test[A-Z]'",
    'cd "$DIR" && ls',
    "echo $(make)",
    "grep -f $PATTERNS x",
  ])("%s: is asked about", async (line) => {
    expect((await print(line)).unsettled).toBeUndefined();
  });

  test("a long line takes no time to speak of", () => {
    const started = process.threadCpuUsage();
    findUnsettled(`make ${"-C ".repeat(30_000)}`);
    findUnsettled(`make -C${" =".repeat(50_000)}`);
    findUnsettled(`cd ${"-L ".repeat(30_000)}`);
    const { user, system } = process.threadCpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(1500);
  });
});

test.each([...implicitCode])("%s: says why, and what", (_, { reason, files = [], words = [] }) => {
  expect(reason).toMatch(/^[A-Z-].*\.$/);
  expect([...files, ...words]).not.toEqual([]);
  for (const file of files) expect(file).toMatch(/^[\w.*/-]+$/);
});
