import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exec } from "@toolwright/engine";
import { createBwrapDriver, createHostDriver, execCapability } from "@toolwright/sandbox";
import { createCallSite } from "@toolwright/sandbox/testing";
import { describe, expect, test } from "vitest";
import { git } from "./git-server.ts";
import { afterwards, modes, openWorkplace, output, serve } from "./open-git-workplace.ts";

describe("R-GT-3 what is not cloned", () => {
  test.each([
    ["a program as transport (git-022)", "ext::sh -c touch% pwned"],
    ["a path of this machine", "file:///etc"],
    ["a plain path", "/etc"],
    ["an option (git-020)", "-u./evil.sh"],
    ["the git protocol", "git://127.0.0.1/demo.git"],
    ["ssh", "ssh://git@127.0.0.1/demo.git"],
    ["ssh in short", "git@127.0.0.1:demo.git"],
    ["ssh with an option for a host (CVE-2017-1000117)", "ssh://-oProxyCommand=touch%20pwned/x"],
    ["a line break in the path (CVE-2020-5260)", "http://127.0.0.1:PORT/a%0ahost=evil.example%0aprotocol=https"],
    ["a carriage return in the path (CVE-2024-52006)", "http://127.0.0.1:PORT/a%0dhost=evil.example"],
    ["a carriage return in the text (CVE-2024-50338)", "http://127.0.0.1:PORT/a\rhost=evil.example"],
    ["NUL", "http://127.0.0.1:PORT/a%00b"],
    ["a user name and password", "http://user:secret@127.0.0.1:PORT/demo.git"],
    ["a query", "http://127.0.0.1:PORT/demo.git?service=git-receive-pack"],
    ["a fragment", "http://127.0.0.1:PORT/demo.git#main"],
    ["a host without a rule", "https://elsewhere.example/demo.git"],
  ])("%s", async (_name, pattern) => {
    const server = await serve();
    const { workspace, scope } = openWorkplace(server);
    const result = await scope.invokeNamed("git_clone", { url: pattern.replace("PORT", String(server.port)), path: "copy" });
    expect(["denied", "failed"]).toContain(result.status);
    expect(server.received).toEqual([]);
    expect(readdirSync(workspace)).toEqual([]);
  });

  test("a host without a rule is told with the rule that is missing", async () => {
    const { scope } = openWorkplace({ port: 1 });
    const result = await scope.invokeNamed("git_clone", { url: "https://elsewhere.example/demo.git" });
    expect(JSON.stringify(result)).toContain("no rule of network.allow opens elsewhere.example:443");
  });

  test("an address that is not public (SSRF), and plain http to one that is", async () => {
    const network = { allow: ["git.example"] };
    const dialled: unknown[] = [];
    const connect = async (target: object) => Promise.reject(new Error(String(dialled.push(target))));
    for (const [url, address] of [
      ["https://git.example/a.git", "10.0.0.1"],
      ["http://git.example/a.git", "93.184.216.34"],
    ] as const) {
      const { scope } = openWorkplace({ port: 1 }, { network, resolve: async () => [address], connect });
      expect(await scope.invokeNamed("git_clone", { url })).toMatchObject({ status: "failed", error: { code: "url_refused" } });
    }
    expect(dialled).toEqual([]);
  });

  test("another address than the one that was checked, whatever the name says later", async () => {
    const server = await serve();
    server.addRepository("demo.git", [{ a: "a" }]);
    const answers = ["127.0.0.1"];
    const network = { allow: [`git.example:${server.port}`] };
    const { scope } = openWorkplace(server, { network, resolve: async () => [answers.shift() ?? "10.0.0.1"] });
    expect(output(await scope.invokeNamed("git_clone", { url: `http://git.example:${server.port}/demo.git` })).path).toBe("demo");
  });

  test.each([
    ["another host", "https://evil.example/demo.git/info/refs?service=git-upload-pack", "https://evil.example/demo.git"],
    ["another repository", "/other.git/info/refs?service=git-upload-pack", "/other.git"],
  ])("a redirect to %s is told and not followed", async (_name, location, told) => {
    const server = await serve({ intercept: (_request, response) => Boolean(response.writeHead(301, { location }).end()) });
    const { scope, base } = openWorkplace(server);
    const result = await scope.invokeNamed("git_clone", { url: `${base}/demo.git` });
    expect(result).toMatchObject({ error: { toolCode: "repository_moved", message: expect.stringContaining(told) } });
    expect(server.received).toHaveLength(1);
  });

  test("what a .git/config around the workspace puts in place of the URL", async () => {
    const server = await serve();
    server.addRepository("demo.git", [{ which: "right" }]);
    server.addRepository("evil.git", [{ which: "wrong" }]);
    const { workspace, scope, base } = openWorkplace(server, { mode: "host" });
    git(workspace, "init", "--quiet");
    git(workspace, "config", `url.${base}/evil.insteadOf`, `${base}/demo`);
    output(await scope.invokeNamed("git_clone", { url: `${base}/demo.git` }));
    expect(readFileSync(join(workspace, "demo/which"), "utf8")).toBe("right");
  });

  test.each([
    ["of the web", "https://example.com/s.git"],
    ["that is a program", "ext::sh -c touch% pwned"],
  ])("a submodule %s, which is told", async (_name, url) => {
    const server = await serve();
    server.addRepository("demo.git", [{ ".gitmodules": `[submodule "s"]\n\tpath = s\n\turl = ${url}\n` }]);
    const { workspace, scope, base } = openWorkplace(server);
    const { warnings } = output(await scope.invokeNamed("git_clone", { url: `${base}/demo.git` }));
    expect(warnings.join(" ")).toContain("submodules were not cloned");
    expect(readdirSync(join(workspace, "demo")).sort()).toEqual([".git", ".gitmodules"]);
  });
});

describe("R-GT-4 nothing of a repository or of this machine's configuration is run", () => {
  const marker = "MARKER";
  const program = (folder: string) => `touch ${folder}/${marker}; cat`;

  test.each(modes)("while it is cloned, looked at and logged, in the driver %s", async (mode) => {
    const server = await serve();
    server.addRepository("demo.git", [{ ".gitattributes": "* filter=evil diff=evil\n", "a.txt": "a\n" }, { "a.txt": "b\n" }]);
    const home = mkdtempSync(join(tmpdir(), "toolwright-home-"));
    afterwards(() => rmSync(home, { recursive: true, force: true }));
    const [bwrap, host] = [createBwrapDriver(), createHostDriver({ home })];
    afterwards(() => Promise.all([bwrap.close(), host.close()]));
    const { workspace, scope, base } = openWorkplace(server, { mode, drivers: [bwrap, host] });
    plantHostileConfiguration(home, workspace);
    output(await scope.invokeNamed("git_clone", { url: `${base}/demo.git` }));
    expect(readdirSync(join(workspace, "demo/.git"))).not.toContain("hooks");
    const site = createCallSite({ sandbox: { mode, network: mode === "host" ? "host" : "none" } });
    const exec = execCapability({ workspaceOf: () => workspace, drivers: [bwrap, host] }).open("run", site) as Exec;
    for (const command of ["git status", "git log -2"])
      expect(await exec.run({ command, workdir: "demo" })).toMatchObject({ exitCode: 0, stderr: "" });
    for (const folder of [home, workspace]) expect(existsSync(join(folder, marker))).toBe(false);
  });

  function plantHostileConfiguration(home: string, workspace: string): void {
    const templates = join(home, "templates");
    mkdirSync(join(templates, "hooks"), { recursive: true });
    writeFileSync(join(templates, "hooks/post-checkout"), `#!/bin/sh\n${program(home)}\n`, { mode: 0o755 });
    const settings = [
      ["core.fsmonitor", program(home)],
      ["core.hooksPath", join(templates, "hooks")],
      ["core.pager", program(home)],
      ["filter.evil.smudge", program(home)],
      ["filter.evil.clean", program(home)],
      ["filter.evil.required", "true"],
      ["diff.evil.textconv", program(home)],
      ["diff.external", program(home)],
      ["init.templateDir", templates],
      ["credential.helper", `!${program(home)}`],
    ] as const;
    for (const [key, value] of settings) execFileSync("git", ["config", "--file", join(home, ".gitconfig"), key, value]);
    git(workspace, "init", "--quiet");
    for (const [key, value] of settings) git(workspace, "config", key, value.replaceAll(home, workspace));
  }
});
