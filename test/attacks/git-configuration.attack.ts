import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openWorkplace, type Workplace } from "./support/open-workplace.ts";
import { findSandboxes } from "./support/sandboxes.ts";

const allowed = "add commit switch checkout stash merge rebase cherry-pick reset restore fetch pull push ls-remote tag branch"
  .split(" ")
  .map((subcommand) => `git ${subcommand} *`)
  .concat("git stash push *", "git stash pop *", "git fetch", "git pull", "git x", "git push origin main", "git fetch origin");

/** Settings that name a program, in the notation of the file, and a command that obeys them, with the attributes that lead there. */
const executable: readonly (readonly [setting: string, command: string, attributes?: string])[] = [
  ["[diff]\n external = ./evil", "git diff"],
  ['[diff "e"]\n command = ./evil', "git diff", "* diff=e"],
  ['[diff "e"]\n textconv = ./evil', "git diff", "* diff=e"],
  ['[diff "e"]\n textconv = ./evil', "git log -p -1", "* diff=e"],
  ['[diff "e"]\n textconv = ./evil', "git show HEAD", "* diff=e"],
  ['[diff "e"]\n textconv = ./evil', "git blame a.txt", "* diff=e"],
  ['[filter "e"]\n clean = ./evil', "git status", "* filter=e"],
  ['[filter "e"]\n clean = ./evil', "git diff", "* filter=e"],
  ['[filter "e"]\n clean = ./evil', "git add a.txt", "* filter=e"],
  ['[filter "e"]\n smudge = ./evil', "git stash push -m x", "* filter=e"],
  ['[filter "e"]\n process = ./evil', "git add a.txt", "* filter=e"],
  ['[merge "e"]\n driver = ./evil %A', "git merge other", "* merge=e"],
  ["[gpg]\n program = ./evil\n[log]\n showSignature = true", "git log -n 1"],
  ['[gpg "ssh"]\n program = ./evil', "git log -n 1"],
  ['[gpg "x509"]\n program = ./evil', "git log -n 1"],
  ['[gpg "ssh"]\n defaultKeyCommand = ./evil', "git commit -m x"],
  ["[core]\n sshCommand = ./evil", "git fetch"],
  ["[core]\n gitProxy = ./evil", "git fetch"],
  ["[core]\n alternateRefsCommand = ./evil", "git fetch"],
  ["[credential]\n helper = !./evil", "git fetch"],
  ['[credential "https://h.example"]\n helper = ./evil', "git push origin main"],
  ['[remote "origin"]\n uploadpack = ./evil', "git fetch"],
  ['[remote "origin"]\n receivepack = ./evil', "git push origin main"],
  ['[remote "origin"]\n vcs = evil', "git fetch"],
  ['[remote "origin"]\n url = ./evil.git', "git push origin main"],
  ['[remote "origin"]\n url = ext::sh -c ./evil', "git fetch"],
  ['[protocol "ext"]\n allow = always', "git fetch"],
  ['[url "ext::sh -c ./evil "]\n insteadOf = https://', "git fetch"],
  ['[remote "p"]\n promisor = true\n url = ./evil.git', "git log -p -1"],
  ['[submodule "s"]\n update = !./evil', "git pull"],
  ["[alias]\n x = !./evil", "git x"],
  ["[uploadpack]\n packObjectsHook = ./evil", "git fetch"],
  ["[interactive]\n diffFilter = ./evil", "git add a.txt"],
  ['[mergetool "e"]\n cmd = ./evil', "git merge other"],
  ['[difftool "e"]\n path = ./evil', "git diff"],
  ['[trailer "e"]\n command = ./evil', "git commit -m x --trailer=e"],
  ['[trailer "e"]\n cmd = ./evil', "git commit -m x --trailer=e"],
  ["[sendemail]\n tocmd = ./evil", "git log -1"],
  ['[man "e"]\n cmd = ./evil', "git status"],
  ['[browser "e"]\n cmd = ./evil', "git status"],
  ["[web]\n browser = evil", "git status"],
  ["[gc]\n recentObjectsHook = ./evil", "git commit --allow-empty -m x"],
  ['[hook "e"]\n command = ./evil\n event = pre-commit', "git commit --allow-empty -m x"],
  ["[receive]\n procReceiveRefs = refs", "git push origin main"],
  ["[core]\n worktree = ../elsewhere", "git status"],
  ["[core]\n attributesFile = evil.attributes", "git status"],
  ["[include]\n path = ../evil.config", "git status"],
  ['[includeIf "gitdir:**"]\n path = ../evil.config', "git status"],
  ["[init]\n templateDir = evil", "git status"],
  // The same in other writing.
  ['[FILTER "e"]\n CLEAN = ./evil', "git status", "* filter=e"],
  ["[filter.e]\n clean = ./evil", "git status", "* filter=e"],
  ['[filter "e"] clean = ./ev\\\nil', "git status", "* filter=e"],
  ['[filter "e"] clean = "./evil" # x', "git diff", "* filter=e"],
  ['\uFEFF[filter "e"]\n clean = ./evil', "git diff", "* filter=e"],
  ['[core]\n abbrev = 7 [filter "e"]\n[filter "e"]clean=./evil', "git diff", "* filter=e"],
  ['[filter "e"]\r\n clean = ./evil\r\n', "git diff", "* filter=e"],
  ["[core\n", "git status"],
  ["[core]\n x\u0000y = 1", "git status"],
];

/** Settings that each command overrides: it runs, and the program does not. */
const overridden: readonly (readonly [setting: string, command: string])[] = [
  ["[core]\n fsmonitor = ./evil", "git status"],
  ["[core]\n fsmonitor = true", "git diff"],
  ["[core]\n hooksPath = hooks", "git commit --allow-empty -m x"],
  ["[core]\n editor = ./evil", "git commit --allow-empty -m x"],
  ["[sequence]\n editor = ./evil", "git rebase HEAD"],
  ["[core]\n pager = ./evil", "git log -1"],
  ["[pager]\n log = true", "git log -1"],
  ["[core]\n askPass = ./evil", "git log -1"],
  ["[log]\n showSignature = true", "git log -1"],
];

/** Ways in which a line may run git. */
const lines = [
  "git --no-pager diff",
  "env git diff",
  "timeout 5 git diff",
  "nice git status",
  "bash -c 'git diff'",
  "git diff | head -5",
  "true && git status",
  "git log -1; git diff",
  "/usr/bin/git diff",
];

describe.each(await findSandboxes())("R-GT-6 a repository's configuration in $name", (sandbox) => {
  const { missing } = sandbox;
  const here = test.skipIf(missing !== undefined);
  let place: Workplace;
  const marker = () => existsSync(join(place.workspace, "ran"));
  const base = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[user]\n\tname = a\n\temail = a@b.example\n";
  const configure = (text: string, attributes = "") => {
    place.write(".git/config", `${base}${text}\n`);
    place.write(".gitattributes", attributes === "" ? "" : `${attributes}\n`);
    place.settle();
  };

  beforeAll(async () => {
    if (missing !== undefined) return;
    place = openWorkplace(sandbox, allowed);
    place.write("a.txt", "one\n");
    place.write("evil", "#!/bin/sh\ntouch ran\ncat\n", 0o755);
    place.write("hooks/pre-commit", "#!/bin/sh\ntouch ran\n", 0o755);
    place.settle();
    const setup = `git init -q -b main && git config user.name a && git config user.email a@b.example && git add -A && git commit -qm one && git branch other && git branch -D old; git switch -q other && echo three > b.txt && git add -A && git commit -qm other && git switch -q main`;
    const { text } = await place.runApproved(setup);
    if (!existsSync(join(place.workspace, ".git/refs/heads/other"))) throw new Error(text);
  });
  afterAll(() => place?.[Symbol.asyncDispose]());
  beforeEach(() => {
    if (missing !== undefined) return;
    rmSync(join(place.workspace, "ran"), { force: true });
    place.write("a.txt", `one\n${Math.random()}\n`);
    place.settle();
  });

  here.each(executable.map(([setting, command, attributes = ""]) => [setting, command, attributes] as const))(
    "%j makes %j ask, and nothing runs",
    async (setting, command, attributes) => {
      configure(setting, attributes);
      const { result } = await place.run(command);
      expect([result.status, marker()]).toEqual(["pending", false]);
      if (result.status !== "pending") return;
      expect(result.approval.reason).toMatch(/^(?:The repository's configuration )?\.git\/config /);
    },
  );

  here.each(overridden)("%j is overridden: %j runs and its program does not", async (setting, command) => {
    configure(setting);
    const { result } = await place.run(command);
    expect([result.status, marker()]).toEqual(["done", false]);
  });

  here.each(lines)("is found behind: %s", async (command) => {
    configure('[filter "e"]\n clean = ./evil', "* filter=e");
    const { result } = await place.run(command);
    expect([result.status, marker()]).toEqual(["pending", false]);
  });

  here("is found behind a comment that is longer than what is read at once", async () => {
    configure(`[a]\n#${"x".repeat(65_535)}[user] name = \\\n[filter "e"] clean = ./evil`, "* filter=e");
    const { result } = await place.run("git diff");
    expect([result.status, marker()]).toEqual(["pending", false]);
  });

  here("is obeyed once a person has said yes to it, which shows that it would be", async () => {
    configure('[filter "e"]\n clean = ./evil', "* filter=e");
    await place.runApproved("git diff");
    expect(marker()).toBe(true);
  });

  here("voids an approval when it names another program after the yes", async () => {
    configure('[filter "e"]\n clean = cat', "* filter=e");
    const asked = await place.run("git status");
    configure('[filter "e"]\n clean = ./evil', "* filter=e");
    const answered = asked.result.status === "pending" ? await place.answerAndResume(asked.result.approval.id) : asked;
    expect(answered.result).toMatchObject({ status: "failed", error: { code: "approval_void" } });
    expect(marker()).toBe(false);
  });

  const elsewhere: readonly (readonly [where: string, path: string])[] = [
    ["config.worktree", ".git/config.worktree"],
    ["a submodule's folder", ".git/modules/group/sub/config"],
    ["another work tree", ".git/worktrees/w/config.worktree"],
    ["a repository in a folder", "nested/.git/config"],
    ["a common folder", ".git/common/config"],
  ];
  here.each(elsewhere)("is read in %s", async (_, path) => {
    configure("");
    if (path.includes("modules")) place.write(".git/modules/group/sub/HEAD", "ref: refs/heads/main\n");
    if (path.includes("common")) place.write(".git/commondir", "common\n");
    place.write(path, "[diff]\n\texternal = ./evil\n");
    place.settle();
    const { result } = await place.run("git diff");
    const parts = path.split("/");
    rmSync(join(place.workspace, ...parts.slice(0, parts[0] === "nested" ? 1 : 2)), { recursive: true });
    rmSync(join(place.workspace, ".git/commondir"), { force: true });
    expect([result.status, marker()]).toEqual(["pending", false]);
  });

  here("of a folder above matters where git might not take the nearest for a repository, and nowhere else", async () => {
    configure("[diff]\n external = ./evil");
    const makeInner = (head: string) => {
      place.write("inner/.git/HEAD", head);
      place.write("inner/.git/objects/keep", "");
      place.write("inner/.git/refs/keep", "");
      place.write("inner/.git/config", base);
      place.settle();
    };
    const runInner = () => place.scope.invokeNamed("exec", { command: "git diff", workdir: "inner" });
    makeInner("ref: refs/heads/main\n");
    const whole = await runInner();
    makeInner("nothing of the kind\n");
    const broken = await runInner();
    rmSync(join(place.workspace, "inner"), { recursive: true });
    const names = (result: typeof whole) => JSON.stringify(result).includes("diff.external");
    expect([names(whole), names(broken), broken.status, marker()]).toEqual([false, true, "pending", false]);
  });

  here("of a folder below is found however a line comes to it, and git reads there unasked where it is harmless", async () => {
    configure("");
    const many = Array.from({ length: 140 }, (_, index) => `many/${index}`);
    for (const folder of many) place.write(`${folder}/keep`, "");
    place.write("inner/.git/HEAD", "ref: refs/heads/main\n");
    place.write("inner/.git/objects/keep", "");
    place.write("inner/.git/refs/keep", "");
    place.write("inner/a.txt", "one\n");
    const ways = ["git -C inner status", "git -C ./inner/ status", "cd inner && git status", "ls many && git -C inner status"];
    const hiding = `ls ${many.join(" ")} && git -C inner status`;
    const run = async (text: string, lines: readonly string[]) => {
      place.write("inner/.git/config", `${base}${text}`);
      place.settle();
      const results = [];
      for (const line of lines) results.push((await place.run(line)).result.status);
      return results;
    };
    const harmless = await run("", ways);
    const hostile = await run('[filter "e"]\n clean = ./evil\n', ways);
    const [hidden] = await run('[filter "e"]\n clean = ./evil\n', [hiding]);
    for (const folder of ["inner", "many"]) rmSync(join(place.workspace, folder), { recursive: true });
    expect([harmless, hostile, marker()]).toEqual([ways.map(() => "done"), ways.map(() => "pending"), false]);
    expect(hidden).not.toBe("done");
  });

  here("is not followed out of the workspace or through a link", async () => {
    configure("");
    rmSync(join(place.workspace, ".git/config"));
    symlinkSync("../evil.config", join(place.workspace, ".git/config"));
    place.write("evil.config", `${base}[diff]\n\texternal = ./evil\n`);
    const linked = await place.run("git diff");
    rmSync(join(place.workspace, ".git/config"));
    place.write("sub/.git", "gitdir: /tmp/elsewhere\n");
    configure("");
    const outside = await place.scope.invokeNamed("exec", { command: "git status", workdir: "sub" });
    rmSync(join(place.workspace, "sub"), { recursive: true });
    expect([linked.result.status, outside.status, marker()]).toEqual(["pending", "pending", false]);
  });

  const ordinary = [
    "",
    '[remote "origin"]\n url = https://host.example/a/b.git\n fetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n remote = origin\n merge = refs/heads/main',
    '[remote "origin"]\n url = git@host.example:a/b.git\n fetch = +refs/heads/*:refs/remotes/origin/*\n gh-resolved = base\n[branch "main"]\n vscode-merge-base = origin/main',
    '[remote "origin"]\n url = /srv/git/b.git\n fetch = +refs/heads/*:refs/remotes/origin/*',
    "[core]\n hooksPath = .husky/_\n autocrlf = input\n ignorecase = true\n precomposeunicode = true",
    '[submodule]\n active = .\n[submodule "lib"]\n url = https://host.example/lib.git\n active = true',
    "[pull]\n rebase = true\n[push]\n autoSetupRemote = true\n[blame]\n ignoreRevsFile = .git-blame-ignore-revs\n[commit]\n gpgsign = false",
    '[lfs]\n repositoryformatversion = 0\n[lfs "https://host.example/a/b.git/info/lfs"]\n locksverify = true',
    '[alias]\n st = status\n lg = log --oneline\n[color]\n ui = auto\n[diff "py"]\n xfuncname = "^class"',
    "[http]\n postBuffer = 524288000\n[gc]\n auto = 0\n[maintenance]\n auto = false\n strategy = incremental",
  ];
  here.each(ordinary)("of an ordinary kind asks nothing: %j", async (setting) => {
    configure(setting);
    for (const command of [
      "git status",
      "git diff",
      "git log -p -1",
      "git add -A",
      "git commit -qm more",
      "git show HEAD",
      "git blame a.txt",
    ])
      expect([command, (await place.run(command)).result.status]).toEqual([command, "done"]);
  });
});
