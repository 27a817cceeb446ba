import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exec } from "@toolwright/engine";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBwrapDriver } from "../drivers/bwrap.ts";
import { createHostDriver } from "../drivers/host.ts";
import { createCallSite } from "../testing/call-site.ts";
import { execCapability } from "./exec-capability.ts";

const bwrap = createBwrapDriver();
const host = createHostDriver();
const hasBwrap = (await bwrap.probe()).available;
afterAll(() => Promise.all([bwrap.close(), host.close()]));

let workspace: string;
const commands = execCapability({ drivers: [bwrap, host], workspaceOf: () => workspace });
const inWorkspace = (script: string) => execFileSync("bash", ["-ec", script], { cwd: workspace, encoding: "utf8" });

interface RunOptions {
  readonly approved?: boolean;
  readonly mode?: "bwrap" | "host";
  readonly git?: "sealed" | "writable";
  readonly timeoutMs?: number;
}

function run(command: string, { approved = false, mode = "bwrap", git = "sealed", timeoutMs }: RunOptions = {}) {
  const site = createCallSite({ approved, sandbox: { mode, git, network: mode === "host" ? "host" : "none" } });
  return (commands.open("run", site) as Exec).run({ command, ...(timeoutMs !== undefined && { timeoutMs }) });
}
const messages = (anomalies: readonly { readonly message: string }[]) => anomalies.map(({ message }) => message).join("\n");

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "tw-lines-"));
  inWorkspace(
    "git init -q -b main .; git config user.name A; git config user.email a@b.example; echo 1 > a; git add a; git commit -qm one",
  );
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

describe.runIf(hasBwrap)("ordinary work in a repository", () => {
  test.each([
    ["status and diff", "echo 2 > a; git status --short; git diff --stat", " M a"],
    [
      "describing the version in a build",
      "bash -c 'echo version $(git rev-parse --short HEAD) > a; git describe --always --dirty'",
      "dirty",
    ],
    ["a build that writes 500 files", "bash -c 'mkdir build; for i in $(seq 500); do echo $i > build/$i; done; ls build | wc -l'", "500"],
  ])("%s succeeds although metadata is sealed", async (_, command, said) => {
    const { stdout, exitCode, anomalies } = await run(command);
    expect([exitCode, messages(anomalies)]).toEqual([0, ""]);
    expect(stdout).toContain(said);
  });

  test.each([
    ["git add -A && git commit -qm x", "git log -1 --format=%s", "x\n"],
    ["git switch -q -c b && git commit -q --allow-empty -m y | cat", "git log -1 --format=%s b", "y\n"],
    ["git stash -q -u", "git stash list", "stash@{0}: WIP on main: "],
    ["git tag v1 && git branch old", "git branch --list old", "  old\n"],
    ["git worktree add -q tree && cd tree && git commit -q --allow-empty -m tree", "git -C tree log -1 --format=%s", "tree\n"],
    [
      "git clone -q . copy && cd copy && git -c user.name=B -c user.email=b@c commit -q --allow-empty -m z",
      "git -C copy log -1 --format=%s",
      "z\n",
    ],
    ["git init -q --bare bare.git && git push -q ./bare.git main", "git -C bare.git log -1 --format=%s main", "one\n"],
    ["git init -q sub && rm -rf sub && ls", "ls", "a\nnew\n"],
    ["git config user.name B", "git config user.name", "B\n"],
    ["git remote add origin https://host.example/a.git && git branch -q side", "git remote get-url origin", "https://host.example/a.git\n"],
    ["git gc -q", "git fsck", ""],
  ])("%s does what it says, and nothing is said about it", async (command, look, expected) => {
    writeFileSync(join(workspace, "new"), "");
    const { stderr, exitCode, anomalies } = await run(command);
    expect([exitCode, stderr, messages(anomalies)]).toEqual([0, "", ""]);
    expect(inWorkspace(look)).toContain(expected);
  });

  test("a repository that a script makes stays one", async () => {
    expect(
      messages(
        (await run("bash -c 'git init -q made; cd made; git config user.name B; git remote add origin https://host.example/b'")).anomalies,
      ),
    ).toBe("");
    expect(inWorkspace("git -C made config user.name")).toBe("B\n");
  });

  test("a setting that a person approved stays, and is undone when nobody did", async () => {
    expect(messages((await run("git config core.fsmonitor ./x")).anomalies)).toContain("core.fsmonitor");
    expect(inWorkspace("git config core.fsmonitor || true")).toBe("");
    expect(messages((await run("git config core.fsmonitor ./x", { approved: true })).anomalies)).toBe("");
    expect(inWorkspace("git config core.fsmonitor")).toBe("./x\n");
  });

  test.each([
    ["a program, then a commit", "cp a b && git add -A && git commit -qm x && git log -1 --format=%s", "x\n", 0],
    [
      "a commit in a folder that the line enters",
      "cd sub && cp ../a b && git add b && git commit -qm sub && git log -1 --format=%s",
      "sub\n",
      0,
    ],
    ["a program that fails, so nothing is committed", "cp gone b && git commit -q --allow-empty -m x", "", 1],
    ["a program that fails, and its way out", "cp gone b || git commit -q --allow-empty -m out; git log -1 --format=%s", "out\n", 0],
    ["the status of what ran last", "cp a b; git commit -q --allow-empty -m x && cp gone c", "", 1],
    ["output of each part, in order", "cp -v a b && git commit -q --allow-empty -m x && cp -v a c", "'a' -> 'b'\n'a' -> 'c'\n", 0],
    ["a program that would write metadata", "bash -c 'echo x > .git/config' || git commit -q --allow-empty -m x; cp a b", "", 0],
  ])("a list of git and other programs runs as it reads: %s", async (_, command, stdout, code) => {
    inWorkspace("mkdir sub");
    const result = await run(command);
    expect([result.stdout, result.exitCode, result.reason]).toEqual([stdout, code, "exited"]);
    expect(inWorkspace("git config user.name")).toBe("A\n");
  });

  test("a list of parts has the time of one command", async () => {
    const { reason, durationMs } = await run("sleep 0.3; git commit -q --allow-empty -m one; sleep 60; git tag v1", { timeoutMs: 3000 });
    expect([reason, inWorkspace("git log -1 --format=%s; git tag")]).toEqual(["timeout", "one\n"]);
    expect(durationMs).toBeGreaterThan(2500);
  });

  test.each([
    ["goes on in the background to its end", false, "later\n"],
    ["ends with the part that runs when it is stopped", true, "one\n"],
  ])("a list of parts whose call is over %s", async (_, isStopped, subject) => {
    writeFileSync(join(workspace, "wait.sh"), "until [ -e go ]; do sleep 0.02; done");
    const over = new AbortController();
    const site = createCallSite({ signal: over.signal, sandbox: { mode: "bwrap", network: "none" } });
    const line = "bash wait.sh; git commit -q --allow-empty -m later";
    const ran = await (commands.open("run", site) as Exec).runWithin({ command: line }, { ms: 200, renewable: false });
    if (!("info" in ran)) throw new Error(`It was not handed over: ${JSON.stringify(ran)}`);
    over.abort();
    const exec = commands.open("run", createCallSite({})) as Exec;
    if (isStopped) await exec.stop(ran.info.id);
    writeFileSync(join(workspace, "go"), "");
    let { info } = ran;
    while (info.state === "running") ({ info } = await exec.read(ran.info.id, { cursor: 0, waitMs: 10_000 }));
    expect([inWorkspace("git log -1 --format=%s"), info.exit?.reason]).toEqual([subject, isStopped ? "stopped" : "exited"]);
  });

  test("a line that cannot be taken apart says why it could not commit", async () => {
    const { exitCode, anomalies } = await run("cp a b && cd . && git commit --allow-empty -m x");
    expect(exitCode).not.toBe(0);
    expect(messages(anomalies)).toContain(`because "cp a b" is on the same line. Run git commands that change a repository`);
  });

  test("a script commits where the policy lets it, and what git would obey is compared all the same", async () => {
    writeFileSync(join(workspace, "release.sh"), "git commit -q --allow-empty -m release; git config core.fsmonitor ./x");
    const { exitCode, anomalies, posture } = await run("bash release.sh", { git: "writable" });
    expect([exitCode, inWorkspace("git log -1 --format=%s; git config core.fsmonitor || true")]).toEqual([0, "release\n"]);
    expect(messages(anomalies)).toContain("core.fsmonitor");
    expect(posture.gaps).toContain("Git metadata could be written; what git would obey was compared after the run.");
  });

  test("a script that commits says that metadata was read-only", async () => {
    writeFileSync(join(workspace, "release.sh"), "git commit --allow-empty -m x");
    expect(messages((await run("bash release.sh")).anomalies)).toContain("Git metadata (.git) was read-only for this command. Run");
  });
});

test("without a sandbox, what a command left for git to obey is put back, and the posture says that it could be written", async () => {
  inWorkspace("git config alias.st status");
  const before = readFileSync(join(workspace, ".git/config"), "utf8");
  const { anomalies, posture } = await run("git config --unset alias.st; git config core.fsmonitor ./x; echo evil > .git/commondir", {
    mode: "host",
  });
  expect(readFileSync(join(workspace, ".git/config"), "utf8")).toBe(before);
  expect(existsSync(join(workspace, ".git/commondir"))).toBe(false);
  expect(messages(anomalies)).toContain('".git/config" was changed during this run');
  expect(messages(anomalies)).toContain('".git/commondir" was made during this run and leads git to another folder.');
  expect(posture.gaps.join()).toContain("Git metadata could be written");
});
