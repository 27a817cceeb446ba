import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exec } from "@toolwright/engine";
import { createHostDriver, execCapability } from "@toolwright/sandbox";
import { createCallSite } from "@toolwright/sandbox/testing";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { findSandboxes, type Sandbox } from "./support/sandboxes.ts";

const host: Sandbox = {
  name: "host",
  driver: createHostDriver(),
  missing: undefined,
  makeWorkspace: () => mkdtempSync(join(tmpdir(), "toolwright-attack-")),
};
const sandboxes = [...(await findSandboxes()), host];
afterAll(() => Promise.all(sandboxes.map(({ driver }) => driver.close())));

interface Attack {
  /** What a person has in the repository before. */
  readonly before?: string;
  /** What the script does. `$MARKER` is a command that leaves a file on the host. */
  readonly script: string;
}

const arm = (file: string, more = "") =>
  `mkdir -p $(dirname ${file}); printf '[core]\\nrepositoryformatversion = 0\\n${more}fsmonitor = "$MARKER"\\n' > ${file}`;
/** A folder that git takes for a repository. */
const shape = (folder: string) => `mkdir -p ${folder}/objects ${folder}/refs; echo 'ref: refs/heads/main' > ${folder}/HEAD`;
const hook = (file: string) => `mkdir -p $(dirname ${file}); printf '#!/bin/sh\\n$MARKER\\n' > ${file}; chmod +x ${file}`;

const attacks: Readonly<Record<string, Attack>> = {
  "the configuration": { script: `printf '[core]\\nfsmonitor = "$MARKER"\\n' >> .git/config` },
  "the configuration, by a rename": { script: `cp .git/config c; ${arm("c")}; mv -f c .git/config` },
  "a hook": { script: hook(".git/hooks/post-index-change") },
  "a commondir": { script: `cp -r .git evil; ${arm("evil/config")}; echo ../evil > .git/commondir` },
  "the configuration of a submodule": {
    before:
      "mkdir -p .git/modules/x lib; git init -q --bare .git/modules/x; echo 'gitdir: ../.git/modules/x' > lib/.git; git -C .git/modules/x config core.bare false",
    script: `${arm(".git/modules/x/config", "worktree = ../../../lib\\n")}`,
  },
  "the configuration of a work tree": {
    before: "git worktree add -q tree; git config extensions.worktreeConfig true",
    script: arm(".git/worktrees/tree/config.worktree"),
  },
  "the commondir of a work tree": {
    before: "git worktree add -q tree",
    script: `cp -r .git evil; ${arm("evil/config")}; echo ../../../evil > .git/worktrees/tree/commondir`,
  },
  "config.worktree": { before: "git config extensions.worktreeConfig true", script: arm(".git/config.worktree") },
  "a nested repository that was there": { before: "git init -q sub", script: arm("sub/.git/config") },
  "the hooks of a nested repository that was there": {
    before: "git init -q sub; echo a > sub/a; git -C sub add a",
    script: `${hook("sub/.git/hooks/post-index-change")}; touch -d 2001-01-01 sub/a`,
  },
  "a nested repository of its own": { script: `git init -q sub; ${arm("sub/.git/config")}` },
  "a hook in a repository of its own": {
    script: `git init -q sub; cd sub; echo a > a; git add a; ${hook(".git/hooks/post-index-change")}; touch -d 2001-01-01 a`,
  },
  "a repository twelve folders down": {
    script: `mkdir -p a/b/c/d/e/f/g/h/i/j/k/l; git init -q a/b/c/d/e/f/g/h/i/j/k/l; ${arm("a/b/c/d/e/f/g/h/i/j/k/l/.git/config")}`,
  },
  "a repository in a folder that cannot be listed": { script: `git init -q sub; ${arm("sub/.git/config")}; chmod 111 sub` },
  "a repository that cannot be listed": { script: `git init -q sub; ${arm("sub/.git/config")}; chmod 111 sub/.git` },
  "hooks in a folder that cannot be listed": {
    script: `git init -q sub; cd sub; echo a > a; git add a; ${hook(".git/hooks/post-index-change")}; touch -d 2001-01-01 a; chmod 111 .git/hooks`,
  },
  "submodules in a folder that cannot be listed": {
    script: `git init -q sub; mkdir sub/.git/modules sub/lib; git init -q --bare sub/.git/modules/x; ${arm("sub/.git/modules/x/config", "worktree = ../../../lib\\n")}; echo 'gitdir: ../.git/modules/x' > sub/lib/.git; chmod 111 sub/.git/modules`,
  },
  "a .git file": { script: `mkdir sub; git init -q --bare d; ${arm("d/config")}; echo 'gitdir: ../d' > sub/.git` },
  "a .git file that leads into a folder without the shape": {
    script: `mkdir -p sub d/objects d/refs x; ${shape("x")}; rm -r x/objects x/refs; echo ../d > x/commondir; echo 'gitdir: ../x' > sub/.git; ${arm("d/config")}`,
  },
  "a .git link": { script: `mkdir sub; git init -q --bare d; ${arm("d/config")}; ln -s ../d sub/.git` },
  "a folder shaped like a bare repository": { script: `${shape("sub")}; ${arm("sub/config", "worktree = ..\\nbare = false\\n")}` },
  "a bare folder led by commondir": {
    script: `${shape("sub")}; ${shape("d")}; rm -r sub/objects; echo ../d > sub/commondir; ${arm("d/config", "worktree = ..\\nbare = false\\n")}`,
  },
  "a bare repository that was there": {
    before: "git init -q --bare bare.git",
    script: arm("bare.git/config", "worktree = ..\\nbare = false\\n"),
  },
  "an include in a repository of its own": {
    script: `git init -q sub; ${arm("inc")}; printf '[include]\\npath = ../../inc\\n' >> sub/.git/config`,
  },
  "a file that the configuration includes": { before: "touch team.inc; git config include.path ../team.inc", script: arm("team.inc") },
  "a file that the configuration includes, missing so far": { before: "git config include.path ../team.inc", script: arm("team.inc") },
  "hooks in the work tree": { before: "mkdir .githooks; git config core.hooksPath .githooks", script: hook(".githooks/post-index-change") },
  "a program that the configuration names": {
    before: "printf '#!/bin/sh\\n' > monitor.sh; chmod +x monitor.sh; git config core.fsmonitor ./monitor.sh",
    script: hook("monitor.sh"),
  },
  "a renamed parent": {
    before: "mkdir pkg; git init -q pkg",
    script: `mv pkg old || true; mkdir -p pkg; git init -q pkg; ${arm("pkg/.git/config")}`,
  },
  "another repository in place of the old": { script: `mv .git away || rm -rf .git; git init -q .; ${arm(".git/config")}` },
  "a remote whose program is named": {
    script: `git init -q sub; git -C sub config remote.origin.url .; git -C sub config remote.origin.uploadpack '$MARKER'`,
  },
};

let outside: string;
let workspace: string;
let marker: string;
let opened: ReturnType<typeof execCapability>;

function asPerson(folder: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: outside, GIT_CONFIG_NOSYSTEM: "1" };
  try {
    return execFileSync("git", args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", timeout: 20_000 });
  } catch (error) {
    return `${(error as { stdout?: string }).stdout ?? ""}${(error as { stderr?: string }).stderr ?? ""}`;
  }
}

const byPerson = (script: string) =>
  execFileSync("bash", ["-ec", script], { cwd: workspace, env: { PATH: process.env.PATH, HOME: outside }, stdio: "ignore" });

/** Parts of a repository in which git looks no further. */
const inner = new Set(["objects", "refs", "hooks", "info", "logs", "branches"]);

function foldersBelow(folder: string): string[] {
  chmodSync(folder, 0o755);
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !inner.has(entry.name));
  return [folder, ...below.flatMap(({ name }) => foldersBelow(join(folder, name)))];
}

/** What a person does next, in the workspace and everywhere below it. */
function lookAround(): void {
  const env = { PATH: process.env.PATH, HOME: outside, GIT_CONFIG_NOSYSTEM: "1" };
  const script = 'for folder; do cd "$folder"; for verb in status diff "log -1" fetch; do git $verb; done; done';
  const folders = foldersBelow(workspace).filter((folder) => !folder.endsWith("/.git") || !existsSync(join(folder, "index")));
  execFileSync("bash", ["-c", `${script}; true`, "sh", ...folders], { env, stdio: "ignore" });
}

function open(
  sandbox: Sandbox,
  changes: Parameters<typeof createCallSite>[0] = {},
): { exec: Exec; site: ReturnType<typeof createCallSite> } {
  const network = sandbox.driver.traits.isolation === "none" ? "host" : "none";
  const site = createCallSite({ ...changes, sandbox: { mode: sandbox.driver.name as "bwrap", network } });
  return { exec: opened.open("run", site) as Exec, site };
}

function prepare(sandbox: Sandbox): void {
  outside = mkdtempSync(join(tmpdir(), "toolwright-person-"));
  writeFileSync(join(outside, ".gitconfig"), "[safe]\ndirectory = *\n[user]\nname = A\nemail = a@b.example\n");
  marker = join(outside, "marker");
  workspace = sandbox.makeWorkspace();
  byPerson("git init -q -b main .; echo one > file; git add file; git commit -qm one");
  opened = execCapability({ drivers: [sandbox.driver], workspaceOf: () => workspace });
}

function giveToOwner(): void {
  const { uid, gid } = statSync(workspace);
  execFileSync("chown", ["-R", `${uid}:${gid}`, workspace]);
}

function putScript(script: string): void {
  writeFileSync(join(workspace, "build.sh"), `cd ${workspace}\n${script.replaceAll("$MARKER", `touch ${marker}`)}\ntrue\n`);
  giveToOwner();
}

for (const sandbox of sandboxes) {
  const { missing } = sandbox;
  const title = missing === undefined ? sandbox.name : `${sandbox.name} (skipped: ${missing})`;
  describe.skipIf(missing !== undefined)(`R-GT-5 git on the host runs nothing that a run left: ${title}`, () => {
    beforeEach(() => prepare(sandbox));
    afterEach(async () => {
      await opened.close();
      for (const folder of [workspace, outside]) rmSync(folder, { recursive: true, force: true });
    });

    test.each(Object.entries(attacks))("a script that leaves %s gains nothing", async (_, { before = "", script }) => {
      byPerson(before);
      putScript(script);
      await open(sandbox).exec.run({ command: "bash build.sh" });
      lookAround();
      expect(existsSync(marker)).toBe(false);
      if (sandbox !== host) expect(asPerson(workspace, "log", "-1", "--format=%s")).toBe("one\n");
    });

    test("objects that are borrowed from elsewhere on the host are not", async () => {
      putScript("git init -q sub; mkdir -p sub/.git/objects/info; echo /srv/other/objects > sub/.git/objects/info/alternates");
      const { anomalies } = await open(sandbox).exec.run({ command: "bash build.sh" });
      expect(existsSync(join(workspace, "sub/.git/objects/info/alternates"))).toBe(false);
      expect(anomalies.map(({ message }) => message).join()).toContain("leads git to objects elsewhere");
    });

    test("a background process that leaves a configuration is told when its output is read, and again at its end", async () => {
      putScript(`git init -q sub; ${arm("sub/.git/config")}; echo made; read line; ${arm("sub/.git/config")}`);
      const { exec, site } = open(sandbox);
      const { id } = await exec.start({ command: "bash build.sh" });
      await exec.read(id, { waitMs: 10_000 });
      expect(site.anomalies.map(({ message }) => message).join()).toContain('"sub/.git/config" was made during this run');
      lookAround();
      await exec.write(id, "go\n", { end: true });
      await exec.read(id, { cursor: 5, waitMs: 10_000 });
      lookAround();
      expect(existsSync(marker)).toBe(false);
    });

    test("a run that is killed by its time-out is compared as well", async () => {
      putScript(`git init -q sub; ${arm("sub/.git/config")}; sleep 60`);
      const { reason, anomalies } = await open(sandbox).exec.run({ command: "bash build.sh", timeoutMs: 1500 });
      lookAround();
      expect([reason, existsSync(marker), anomalies.some(({ kind }) => kind === "git_metadata")]).toEqual(["timeout", false, true]);
    });
  });
}

for (const sandbox of sandboxes.filter(({ driver }) => driver.traits.isolation !== "none")) {
  const { missing } = sandbox;
  describe.skipIf(missing !== undefined)(
    `R-GT-5 the seal stays on: ${sandbox.name}${missing === undefined ? "" : ` (skipped: ${missing})`}`,
    () => {
      beforeEach(() => prepare(sandbox));
      afterEach(async () => {
        await opened.close();
        for (const folder of [workspace, outside]) rmSync(folder, { recursive: true, force: true });
      });
      const poison = `for i in 1 2 3; do printf '[core]\\nfsmonitor = "$MARKER"\\n' >> .git/config; ${hook(".git/hooks/post-index-change")}; done`;

      test.each([
        ["git config", "git config user.name Person"],
        ["git remote add", "git remote add origin https://host.example/a.git; git config user.name Person"],
        ["git gc", "git gc -q; git config user.name Person"],
        ["a new repository", "rm -rf .git; git init -q .; git config user.name Person"],
      ])(
        "a script that waits while a person uses %s does not reach the configuration, and the person's change stays",
        async (_, change) => {
          putScript(`echo ready; read line; ${poison}`);
          const { exec } = open(sandbox);
          const { id } = await exec.start({ command: "bash build.sh" });
          await exec.read(id, { waitMs: 10_000 });
          byPerson(change);
          giveToOwner();
          await exec.write(id, "go\n", { end: true });
          let cursor = 0;
          for (let { info } = await exec.read(id); info.state === "running"; )
            ({ info, cursor } = await exec.read(id, { cursor, waitMs: 5000 }));
          lookAround();
          expect(existsSync(marker)).toBe(false);
          expect(asPerson(workspace, "config", "--local", "user.name")).toBe("Person\n");
        },
      );

      test.each([
        ["git config", "git config user.name Person"],
        ["a new repository", "rm -rf .git; git init -q .; git config user.name Person"],
      ])("a script that runs in a sandbox that waited while a person used %s does not reach the configuration", async (_, change) => {
        putScript(poison);
        const { exec } = open(sandbox);
        await exec.run({ command: "true" });
        await new Promise((resolve) => setTimeout(resolve, 400));
        byPerson(change);
        giveToOwner();
        const { anomalies } = await exec.run({ command: "bash build.sh" });
        lookAround();
        expect(existsSync(marker)).toBe(false);
        expect(anomalies.map(({ message }) => message).join()).toContain("read-only");
        expect(readFileSync(join(workspace, ".git/config"), "utf8")).not.toContain("fsmonitor");
        expect(existsSync(join(workspace, ".git/hooks/post-index-change"))).toBe(false);
      });
    },
  );
}
