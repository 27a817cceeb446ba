import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type GitServerOptions, git } from "./git-server.ts";
import { modes, openWorkplace, output, readQuietly, type Setup, serve } from "./open-git-workplace.ts";

describe.each(modes)("git_clone in the driver %s", (mode) => {
  test("a repository is copied whole, with its history and its real URL", async () => {
    const server = await serve();
    server.addRepository("demo.git", [{ "README.md": "one\n" }, { "README.md": "two\n", "src/a.ts": "a\n" }]);
    const { workspace, scope, base } = openWorkplace(server, { mode });
    const cloned = output(await scope.invokeNamed("git_clone", { url: `${base}/demo.git` }));
    expect(cloned).toEqual({
      path: "demo",
      branch: "main",
      commit: git(join(workspace, "demo"), "rev-parse", "HEAD").trim(),
      warnings: [],
    });
    expect(readFileSync(join(workspace, "demo/src/a.ts"), "utf8")).toBe("a\n");
    expect(git(join(workspace, "demo"), "log", "--format=%s").split("\n")).toEqual(["Commit 2", "Commit 1", ""]);
    expect(git(join(workspace, "demo"), "remote", "get-url", "origin").trim()).toBe(`${base}/demo.git`);
    expect(git(join(workspace, "demo"), "status", "--short")).toBe("");
    expect(readdirSync(workspace)).toEqual(["demo"]);
  });
});

describe("git_clone", () => {
  test("takes a tag, a depth and a path in folders that are not there yet", async () => {
    const server = await serve();
    server.addRepository("demo.git", [{ a: "1" }, { a: "2" }]);
    const { workspace, scope, base } = openWorkplace(server);
    const tagged = output(await scope.invokeNamed("git_clone", { url: `${base}/demo.git`, ref: "v1", path: "vendor/old" }));
    expect(tagged).toMatchObject({
      path: "vendor/old",
      branch: null,
      commit: git(join(server.root, "demo.git"), "rev-parse", "v1").trim(),
    });
    output(await scope.invokeNamed("git_clone", { url: `${base}/demo.git`, depth: 1 }));
    expect(git(join(workspace, "demo"), "log", "--format=%s")).toBe("Commit 2\n");
  });

  test("goes to the next free name where no path is given, also beside one that runs at the same time", async () => {
    const server = await serve();
    server.addRepository("demo.git", [{ a: "1" }]);
    const { workspace, scope, base } = openWorkplace(server);
    mkdirSync(join(workspace, "demo"));
    const both = await Promise.all([1, 2].map(() => scope.invokeNamed("git_clone", { url: `${base}/demo.git` })));
    expect(both.map((result) => output(result).path).sort()).toEqual(["demo-2", "demo-3"]);
    expect(readdirSync(join(workspace, "demo"))).toEqual([]);
  });

  test("tells of files that other programs obey, and of links that lead out", async () => {
    const server = await serve();
    server.addRepository("demo.git", [{ ".vscode/tasks.json": "{}", "folder/a": "a" }], {
      "folder/inward": "../.vscode",
      "folder/outward": "../../x",
      away: "/etc",
    });
    const { scope, base } = openWorkplace(server);
    const [obeyed, outward] = output(await scope.invokeNamed("git_clone", { url: `${base}/demo.git` })).warnings;
    expect(obeyed).toContain(': ".vscode".');
    expect(outward).toContain('"away", "folder/outward".');
  });

  test("tells of files that Git LFS keeps, which are pointers", async () => {
    const server = await serve();
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    server.addRepository("demo.git", [
      { ".gitattributes": "* text=auto\n", "assets/.gitattributes": "*.png filter=lfs -text\n", "assets/a.png": pointer },
    ]);
    const { workspace, scope, base } = openWorkplace(server);
    const { warnings } = output(await scope.invokeNamed("git_clone", { url: `${base}/demo.git` }));
    expect(warnings).toContainEqual(expect.stringMatching(/^Git LFS was refused.*pointers.*: "assets\/\.gitattributes"\.$/));
    expect(readFileSync(join(workspace, "demo/assets/a.png"), "utf8")).toBe(pointer);
  });

  test("copies an empty repository, and says that it is", async () => {
    const server = await serve();
    mkdirSync(join(server.root, "empty.git"));
    git(join(server.root, "empty.git"), "init", "--quiet", "--bare");
    const { scope, base } = openWorkplace(server);
    const cloned = output(await scope.invokeNamed("git_clone", { url: `${base}/empty.git` }));
    expect(cloned).toMatchObject({ commit: null, warnings: [expect.stringContaining("empty repository")] });
  });
});

describe("git_clone leaves nothing behind", () => {
  test.each<[string, Setup, object, object]>([
    ["when the ref is missing", {}, { ref: "no-such" }, { toolCode: "ref_not_found" }],
    [
      "when there is no such repository",
      {},
      { url: "nothing.git" },
      {
        toolCode: "repository_not_found",
        message: expect.stringMatching(
          / answered 404: there is no repository .*, or it is private\. Check the URL\. If it is private, an operator/,
        ),
      },
    ],
    ["when it is larger than it may be", { limits: { maxBytes: 500 } }, {}, { toolCode: "repository_too_large" }],
    ["when git says too much", { limits: { maxOutputBytes: 10 } }, {}, { toolCode: "too_much_output" }],
    ["when there is something at the path", {}, { path: "taken" }, { code: "file_exists" }],
    ["when the path leads out", {}, { path: "out/x" }, { code: "path_refused" }],
    ["when the repository holds a name that no tool writes (R-FS-5)", {}, { url: "protected.git" }, { code: "path_refused" }],
  ])("%s", async (_name, setup, input, error) => {
    const server = await serve();
    server.addRepository("demo.git", [{ "a.txt": "x".repeat(1_000) }]);
    server.addRepository("protected.git", [{ "sub/.toolwright/policy.yaml": "version: 1\n" }]);
    const { workspace, scope, base } = openWorkplace(server, setup);
    mkdirSync(join(workspace, "taken"));
    execFileSync("ln", ["-s", "/tmp", join(workspace, "out")]);
    const url = `${base}/${"url" in input ? String(input.url) : "demo.git"}`;
    const result = await scope.invokeNamed("git_clone", { ...input, url });
    expect(result, JSON.stringify(result)).toMatchObject({ status: "failed", error });
    expect(readdirSync(workspace)).toEqual(["out", "taken"]);
  });

  test.each<[string, GitServerOptions["intercept"], string]>([
    ["a web page", (_request, response) => Boolean(response.setHeader("content-type", "text/html").end("<p>")), "repository_not_found"],
    ["status 500", (_request, response) => Boolean(response.writeHead(500).end()), "git_failed"],
    ["a pack of rubbish", (request, response) => sendRubbish(request.method === "POST", response), "git_failed"],
  ])("when the server answers with %s", async (_name, intercept, toolCode) => {
    const server = await serve({ ...(intercept && { intercept }) });
    server.addRepository("demo.git", [{ a: "a" }]);
    const { workspace, scope, base } = openWorkplace(server);
    expect(await scope.invokeNamed("git_clone", { url: `${base}/demo.git` })).toMatchObject({ status: "failed", error: { toolCode } });
    expect(readdirSync(workspace)).toEqual([]);
  });

  test("when the server does not answer in time", async () => {
    const server = await serve({ intercept: (request) => request.method === "POST" });
    server.addRepository("demo.git", [{ a: "a" }]);
    const { workspace, scope, base } = openWorkplace(server, { limits: { timeoutMs: 500 } });
    expect(await scope.invokeNamed("git_clone", { url: `${base}/demo.git` })).toMatchObject({
      status: "failed",
      error: { code: "timeout" },
    });
    expect(readdirSync(workspace)).toEqual([]);
  });

  test("when the connection is refused", async () => {
    const { workspace, scope } = openWorkplace({ port: 1 });
    const result = await scope.invokeNamed("git_clone", { url: "http://127.0.0.1:1/demo.git" });
    expect(result).toMatchObject({ status: "failed", error: { code: "connection_failed" } });
    expect(readdirSync(workspace)).toEqual([]);
  });

  test.each([
    ["it is cancelled", "cancel"],
    ["git is killed", "kill"],
  ])("when %s in the middle", async (_name, how) => {
    const cancel = new AbortController();
    const server = await serve({
      intercept(request) {
        if (request.method !== "POST") return false;
        how === "cancel" ? cancel.abort() : killGit(workspace);
        return true;
      },
    });
    server.addRepository("demo.git", [{ a: "a" }]);
    const { workspace, scope, base } = openWorkplace(server, { mode: "host" });
    const result = await scope.invokeNamed("git_clone", { url: `${base}/demo.git` }, { signal: cancel.signal });
    expect(result.status).toBe(how === "cancel" ? "cancelled" : "failed");
    await expect.poll(() => readdirSync(workspace)).toEqual([]);
  });

  test("of an older server: what has lain there for two hours is swept with a warning, younger and other things stay", async () => {
    const server = await serve();
    server.addRepository("demo.git", [{ a: "a" }]);
    const { workspace, scope, base, logged } = openWorkplace(server);
    const age = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    for (const [name, hours] of [
      [".toolwright-clone-old", 3],
      [".toolwright-clone-young", 1],
      ["mine", 3],
    ] as const) {
      mkdirSync(join(workspace, name, "repository/.git"), { recursive: true });
      utimesSync(join(workspace, name), age(hours), age(hours));
    }
    const outside = join(server.root, "demo.git");
    symlinkSync(outside, join(workspace, ".toolwright-clone-link"));
    symlinkSync(outside, join(workspace, ".toolwright-clone-old/link"));
    utimesSync(join(workspace, ".toolwright-clone-old"), age(3), age(3));
    output(await scope.invokeNamed("git_clone", { url: `${base}/demo.git` }));
    expect(readdirSync(workspace).sort()).toEqual([".toolwright-clone-link", ".toolwright-clone-young", "demo", "mine"]);
    expect(readdirSync(outside)).toContain("HEAD");
    expect(logged.join("\n")).toContain(".toolwright-clone-old");
  });
});

function sendRubbish(inFetch: boolean, response: ServerResponse): boolean {
  if (!inFetch) return false;
  response.setHeader("content-type", "application/x-git-upload-pack-result").end("0008NAK\nrubbish");
  return true;
}

/** The git programs that work in a workspace. */
function killGit(workspace: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const command = readQuietly(`/proc/${pid}/cmdline`);
    if (/^git\0clone/.test(command) && readQuietly(`/proc/${pid}/environ`).includes(`GIT_CEILING_DIRECTORIES=${workspace}`))
      process.kill(Number(pid), "SIGKILL");
  }
}
