import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type CallSite, type Decision, type Files, ToolwrightError } from "@toolwright/engine";
import type { SandboxDriver } from "@toolwright/engine/ports";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createBwrapDriver } from "../drivers/bwrap.ts";
import { createHostDriver } from "../drivers/host.ts";
import { allowed, createCallSite } from "../testing/call-site.ts";
import { filesCapability } from "./files-capability.ts";

let driver: SandboxDriver;
beforeAll(() => {
  driver = createHostDriver();
});
afterAll(() => driver.close());

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "tw-search-")));
  root = join(base, "work");
  put("src/a.ts", "const one = 1;\nconst two = 2;\nconst three = 3;\n");
  put("src/deep/b.ts", "two();\n");
  put("docs/two.md", "# two\r\n");
  put("node_modules/x/index.js", "two\n");
  put("build.log", "two\n");
  put(".gitignore", "node_modules\n*.log\n");
  put(".github/ci.yml", "two: 2\n");
  put(".git/config", "two\n");
  put(".env", "SECRET=two\n");
  put("-rf", "two\n");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(path: string, text: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const ask = (reach: Parameters<CallSite["judge"]>[0]): Decision => ({ ...allowed, effect: reach.kind === "path" ? "ask" : "allow" });
const open = (site: Partial<Omit<CallSite, "principal" | "sandbox">> = {}, rg: SandboxDriver | undefined = driver) =>
  filesCapability({ workspaceOf: () => root, ...(rg && { driver: rg }) }).open("write", createCallSite({ judge: ask, ...site })) as Files;
const places = async (query: Parameters<Files["grep"]>[0], site?: Partial<Omit<CallSite, "principal" | "sandbox">>) =>
  (await open(site).grep(query)).matches.map(({ path, line }) => `${path}:${line}`);

describe("glob", () => {
  test("finds files in any folder, sorted, without what is ignored", async () => {
    expect(await open().glob("*.ts")).toEqual({ paths: ["src/a.ts", "src/deep/b.ts"], truncated: false });
    expect((await open().glob("**")).paths).toEqual(["-rf", ".github/ci.yml", ".gitignore", "docs/two.md", "src/a.ts", "src/deep/b.ts"]);
    expect((await open().glob("*.log")).paths).toEqual([]);
  });

  test("begins at a folder, and its pattern speaks of what is below", async () => {
    expect((await open().glob("*/*.ts", { path: "src" })).paths).toEqual(["src/deep/b.ts"]);
    expect((await open().glob("*.ts", { path: "./src/deep/" })).paths).toEqual(["src/deep/b.ts"]);
    expect((await open().glob("{docs,src}/*.{md,ts}")).paths).toEqual(["docs/two.md", "src/a.ts"]);
  });

  test("says when it stops at the limit, and not when it just fits", async () => {
    expect(await open().glob("*.ts", { limit: 1 })).toEqual({ paths: ["src/a.ts"], truncated: true });
    expect(await open().glob("*.ts", { limit: 2 })).toMatchObject({ truncated: false });
  });

  test("a pattern is never an option", async () => {
    expect((await open().glob("-rf")).paths).toEqual(["-rf"]);
    expect((await open().glob("--files")).paths).toEqual([]);
  });

  test.each(["../*", "/etc/*", "**/../**"])("%s finds nothing outside", async (pattern) => {
    writeFileSync(join(base, "secret.txt"), "outside");
    expect((await open().glob(pattern)).paths).toEqual([]);
  });
});

describe("grep", () => {
  test("gives file, line and text, sorted, without what is ignored, protected or in .git", async () => {
    expect(await open().grep({ pattern: "two" })).toEqual({
      matches: [
        { path: "-rf", line: 1, text: "two" },
        { path: ".github/ci.yml", line: 1, text: "two: 2" },
        { path: "docs/two.md", line: 1, text: "# two" },
        { path: "src/a.ts", line: 2, text: "const two = 2;" },
        { path: "src/deep/b.ts", line: 1, text: "two();" },
      ],
      truncated: false,
    });
  });

  test("takes patterns as expressions or as they are, with or without case", async () => {
    expect(await places({ pattern: "^const t\\w+ = [23]" })).toEqual(["src/a.ts:2", "src/a.ts:3"]);
    expect(await places({ pattern: "two()", literal: true })).toEqual(["src/deep/b.ts:1"]);
    expect(await places({ pattern: "CONST ONE" })).toEqual([]);
    expect(await places({ pattern: "CONST ONE", ignoreCase: true })).toEqual(["src/a.ts:1"]);
  });

  test("searches below a path, in one file, and by glob", async () => {
    expect(await places({ pattern: "two", path: "src" })).toEqual(["src/a.ts:2", "src/deep/b.ts:1"]);
    expect(await places({ pattern: "two", path: "src/a.ts" })).toEqual(["src/a.ts:2"]);
    expect(await places({ pattern: "two", glob: "src/**/b.*" })).toEqual(["src/deep/b.ts:1"]);
    expect(await places({ pattern: "two", glob: "*.log" })).toEqual([]);
  });

  test("gives the lines around a match", async () => {
    const { matches } = await open().grep({ pattern: "two", path: "src/a.ts", context: 5 });
    expect(matches).toEqual([
      { path: "src/a.ts", line: 2, text: "const two = 2;", before: ["const one = 1;"], after: ["const three = 3;"] },
    ]);
  });

  test("says when it stops, and shortens a long line visibly", async () => {
    put("long.txt", `needle ${"x".repeat(5000)}\nneedle\n`);
    const { matches, truncated } = await open().grep({ pattern: "needle", maxMatches: 1 });
    expect([matches.length, truncated]).toEqual([1, true]);
    expect(matches[0]!.text).toMatch(/^needle x{993} \[4007 more characters\]$/);
  });

  test.each(["-e", "--pre=touch hacked", "--files", "$(id)"])("the pattern %j is text, never an option or a command", async (pattern) => {
    expect(await places({ pattern, literal: true })).toEqual([]);
    put("found.txt", `say ${pattern}\n`);
    expect(await places({ pattern, literal: true })).toEqual(["found.txt:1"]);
  });

  test.each([
    ["UTF-16, little endian", Buffer.from("\ufeffeins\r\nzwölf Öl\r\n", "utf16le")],
    ["UTF-16, big endian", Buffer.from("\ufeffeins\r\nzwölf Öl\r\n", "utf16le").swap16()],
    ["UTF-8 with a byte order mark", Buffer.from("\ufeffeins\r\nzwölf Öl\r\n")],
  ])("reads %s", async (_name, bytes) => {
    put("wide.txt", bytes);
    const { matches } = await open().grep({ pattern: "^zwölf", context: 1 });
    expect(matches).toEqual([{ path: "wide.txt", line: 2, text: "zwölf Öl", before: ["eins"], after: [] }]);
    expect(await places({ pattern: "^eins" })).toEqual(["wide.txt:1"]);
  });

  test("explains a pattern that cannot be read", async () => {
    await expect(open().grep({ pattern: "(" })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("regular expression"),
    });
    await expect(open().grep({ pattern: "a\nb" })).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("gives nothing away through links, hard links and credential files", async () => {
    writeFileSync(join(base, "secret.txt"), "two outside\n");
    symlinkSync(base, join(root, "door"));
    symlinkSync(join(base, "secret.txt"), join(root, "soft.txt"));
    linkSync(join(base, "secret.txt"), join(root, "hard.txt"));
    const { matches } = await open().grep({ pattern: "two" });
    expect(JSON.stringify(matches)).not.toContain("outside");
    await expect(open().grep({ pattern: "two", path: "door" })).rejects.toMatchObject({ code: "path_refused" });
    await expect(open().grep({ pattern: "two", path: ".env" })).rejects.toMatchObject({ code: "path_refused" });
    expect(await places({ pattern: "SECRET" }, { judge: () => allowed })).toEqual([".env:1"]);
  });

  test("leaves out what the policy forbids", async () => {
    expect(await places({ pattern: "two" }, { paths: { forbidden: [join(root, "src")] } })).not.toContain("src/a.ts:2");
  });

  test("ends with its call", async () => {
    const control = new AbortController();
    const search = open({ signal: control.signal, reportPosture: () => control.abort(new Error("stop")) }).grep({ pattern: "two" });
    await expect(search).rejects.toThrow("stop");
  });
});

test("the search is the same, and isolated, in a sandbox", async ({ skip }) => {
  const sandbox = createBwrapDriver();
  try {
    const { available, detail } = await sandbox.probe();
    skip(!available, detail);
    const postures: string[] = [];
    const reached: (readonly string[])[] = [];
    const files = open(
      { reportPosture: ({ isolation, network }) => postures.push(isolation, network), reportReached: (hosts) => reached.push(hosts) },
      sandbox,
    );
    expect((await files.glob("*.ts")).paths).toEqual(["src/a.ts", "src/deep/b.ts"]);
    expect((await files.grep({ pattern: "two", path: "src" })).matches.map(({ line }) => line)).toEqual([2, 1]);
    expect(postures.slice(0, 2)).toEqual(["namespaces", "none"]);
    expect(reached).toEqual([[], []]);
  } finally {
    await sandbox.close();
  }
});

describe("without the means to search", () => {
  test("a missing driver is said", async () => {
    const files = filesCapability({ workspaceOf: () => root }).open("read", createCallSite()) as Files;
    await expect(files.grep({ pattern: "x" })).rejects.toMatchObject({
      code: "sandbox_unavailable",
      message: expect.stringContaining("ripgrep"),
    });
  });

  test("a missing program is said, with the package to install", async () => {
    const bare: SandboxDriver = {
      ...driver,
      start: () => driver.start({ ...spec(), program: { argv: ["a-program-that-is-not-there"] } }),
    };
    await expect(open({}, bare).glob("*")).rejects.toMatchObject({
      code: "spawn_failed",
      message: expect.stringContaining("package `ripgrep`"),
    });
  });

  test("a refusal of the driver is passed on", async () => {
    const refusing: SandboxDriver = {
      ...driver,
      start: () => Promise.reject(new ToolwrightError("sandbox_unavailable", "There is no sandbox.")),
    };
    await expect(open({}, refusing).glob("*")).rejects.toMatchObject({ message: "There is no sandbox." });
  });
});

const spec = () =>
  ({
    workspace: root,
    workdir: ".",
    writable: false,
    env: {},
    network: "host",
    limits: {},
    protectedPaths: [],
    stdin: "closed",
    timeoutMs: 5000,
  }) as const;
