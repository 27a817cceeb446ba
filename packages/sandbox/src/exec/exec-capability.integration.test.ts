import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exec } from "@toolwright/engine";
import type { SandboxDriver } from "@toolwright/engine/ports";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHostDriver } from "../drivers/index.ts";
import { allowed, createCallSite } from "../testing/call-site.ts";
import { type ExecCapability, type ExecLimits, execCapability } from "./index.ts";

const host = createHostDriver();
let workspace: string;
let capability: ExecCapability;

const make = (drivers: readonly SandboxDriver[] = [host], limits: Partial<ExecLimits> = {}) =>
  execCapability({ drivers, workspaceOf: () => workspace, limits });
const open = (changes: Parameters<typeof createCallSite>[0] = {}) => {
  const site = createCallSite(changes);
  return { site, exec: capability.open("run", site) as Exec };
};

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "toolwright-exec-"));
  capability = make();
});
afterEach(async () => {
  await capability.close();
  rmSync(workspace, { recursive: true, force: true });
});
afterAll(() => host.close());

describe("running a command", () => {
  test("a non-zero exit code is a result and both streams come back", async () => {
    const { exec, site } = open();
    const result = await exec.run({ command: "echo out; echo err >&2; exit 3" });
    expect(result).toMatchObject({ exitCode: 3, signal: null, reason: "exited", stdout: "out\n", stderr: "err\n", truncations: [] });
    expect(site.postures).toEqual([result.posture]);
    expect(site.told.map(({ text }) => text).sort()).toEqual(["err\n", "out\n"]);
  });

  test("standard input is the given text, and empty without one", async () => {
    const { exec } = open();
    expect((await exec.run({ command: "cat", stdin: "given" })).stdout).toBe("given");
    expect((await exec.run({ command: "cat" })).stdout).toBe("");
  });

  test.each(["ask", "deny"] as const)("the decision %s refuses with its reason and remedy, and nothing starts", async (effect) => {
    const { exec, site } = open({
      judge: () => ({ ...allowed, effect, rule: "commands.rules[0]", reason: "It pushes.", remedy: "Ask the operator." }),
    });
    const refused = exec.run({ command: "touch made" });
    await expect(refused).rejects.toMatchObject({ code: "command_refused", details: { effect, rule: "commands.rules[0]" } });
    await expect(refused).rejects.toThrow(/It pushes\..*Ask the operator\./);
    expect(site.postures).toEqual([]);
  });

  test("the judged reach names the command and the folder of the call", async () => {
    const judged: unknown[] = [];
    const { exec } = open({
      judge(reach) {
        judged.push(reach);
        return allowed;
      },
    });
    await exec.run({ command: "true" });
    await exec.start({ command: "true", workdir: "." });
    expect(judged).toEqual([
      { kind: "command", command: "true", workdir: null },
      { kind: "command", command: "true", workdir: "." },
    ]);
  });

  test("the environment holds nothing of the server (R-EX-7)", async () => {
    process.env.TOOLWRIGHT_TEST_CANARY = "leak";
    const { exec } = open();
    const { stdout } = await exec.run({ command: "env" });
    delete process.env.TOOLWRIGHT_TEST_CANARY;
    expect(stdout).not.toContain("leak");
    expect(stdout).toContain("GIT_CONFIG_VALUE_1=/dev/null");
  });

  test("git runs no hook and no file system monitor of the repository (R-GT-4)", async () => {
    const { exec } = open();
    const setup = `git init -q . && git config core.fsmonitor 'touch ${workspace}/ran; false' && git config core.hooksPath hooks && mkdir hooks && printf '#!/bin/sh\ntouch ${workspace}/ran\n' > hooks/post-index-change && chmod +x hooks/post-index-change`;
    expect((await exec.run({ command: setup })).exitCode).toBe(0);
    const { stdout } = await exec.run({ command: "git status --short; ls" });
    expect(stdout).toBe("?? hooks/\nhooks\n");
  });

  test("a program in the workspace is not taken for the one of the system (R-EX-8)", async () => {
    const { exec } = open();
    const planted = "printf '#!/bin/sh\\necho planted\\n' > git && chmod +x git && mkdir bin && cp git bin/git";
    expect((await exec.run({ command: planted })).exitCode).toBe(0);
    expect((await exec.run({ command: "./git" })).stdout).toBe("planted\n");
    expect((await exec.run({ command: "git --version" })).stdout).toMatch(/^git version /);
    expect((await exec.run({ command: "git --version", workdir: "bin" })).stdout).toMatch(/^git version /);
  });

  test("git opens no editor, not one of the repository either (R-GT-4)", async () => {
    const { exec } = open();
    const setup = `git init -q . && git config user.name a && git config user.email a@b.example && git config core.editor 'touch ${workspace}/ran; false'`;
    expect((await exec.run({ command: setup })).exitCode).toBe(0);
    const { stderr } = await exec.run({ command: "git commit --allow-empty" });
    expect(stderr).toContain("empty commit message");
    expect((await exec.run({ command: "ls" })).stdout).toBe("");
  });

  test("git does not take a folder that looks like a bare repository for one (R-GT-4)", async () => {
    const { exec } = open();
    expect((await exec.run({ command: "git init -q --bare sub" })).exitCode).toBe(0);
    const { exitCode, stderr } = await exec.run({ command: "cd sub && git log" });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("safe.bareRepository");
  });
});

describe("the working directory", () => {
  test("is the workspace, or a folder in it, also through a link inside", async () => {
    mkdirSync(join(workspace, "a/b"), { recursive: true });
    symlinkSync("a", join(workspace, "link"));
    const { exec } = open();
    expect((await exec.run({ command: "pwd" })).stdout).toBe(`${workspace}\n`);
    expect((await exec.run({ command: "pwd", workdir: "a/b" })).stdout).toBe(`${workspace}/a/b\n`);
    expect((await exec.run({ command: "pwd", workdir: join(workspace, "a") })).stdout).toBe(`${workspace}/a\n`);
    expect((await exec.run({ command: "pwd -P", workdir: "link/b" })).stdout).toBe(`${workspace}/a/b\n`);
  });

  test.each([
    ["a parent", "..", "path_refused"],
    ["a parent within", "a/../..", "path_refused"],
    ["an absolute path outside (R-SB-1)", "/", "path_refused"],
    ["a sibling with the same beginning", "$W2", "path_refused"],
    ["a link that leaves", "out", "path_refused"],
    ["a home", "~", "path_refused"],
    ["an empty name", "", "path_refused"],
    ["a line break", "a\nb", "path_refused"],
    ["a missing folder", "missing", "file_not_found"],
  ])("%s is refused without a host path in the message", async (_, workdir, code) => {
    mkdirSync(join(workspace, "a"));
    symlinkSync("/etc", join(workspace, "out"));
    const { exec } = open();
    const refused = exec.run({ command: "pwd", workdir: workdir.replace("$W", workspace) });
    await expect(refused).rejects.toMatchObject({ code });
    if (!workdir.startsWith("$W")) await expect(refused).rejects.not.toThrow(workspace);
  });

  test("a workspace that is gone is said", async () => {
    rmSync(workspace, { recursive: true });
    await expect(open().exec.run({ command: "pwd" })).rejects.toMatchObject({ code: "workspace_missing" });
  });
});

describe("long output", () => {
  test("keeps both ends, says the gap, and the artifact holds the whole", async () => {
    const { exec, site } = open({ sandbox: { maxOutputBytes: 1000 } });
    const { stdout, truncations, artifacts } = await exec.run({ command: "seq 1 10000" });
    const whole = Array.from({ length: 10_000 }, (_, at) => `${at + 1}\n`).join("");
    expect(truncations).toEqual([{ path: "/stdout", unit: "bytes", total: whole.length, kept: 1000, artifact: artifacts[0]?.id }]);
    expect(stdout).toBe(
      `${whole.slice(0, 500)}\n[${whole.length - 1000} of ${whole.length} bytes are missing here; artifact ${artifacts[0]?.id} holds the whole output]\n${whole.slice(-500)}`,
    );
    const stored = await site.artifacts.read(site.principal.tenant, artifacts[0]!.id);
    expect(Buffer.from(stored.bytes).toString()).toBe(whole);
  });

  test("terminal escapes reach neither the result, the followers nor the artifact (R-EX-11)", async () => {
    const { exec, site } = open({ sandbox: { maxOutputBytes: 20 } });
    const command = String.raw`for i in 1 2 3 4 5 6 7 8 9; do printf 'a\033]52;c;cm0gLXJm\007b\033[31mc\n'; done`;
    const result = await exec.run({ command });
    const stored = await site.artifacts.read(site.principal.tenant, result.artifacts[0]!.id);
    for (const text of [result.stdout, site.told.map((one) => one.text).join(""), Buffer.from(stored.bytes).toString()]) {
      expect(text).not.toContain("\x1b");
      expect(text).not.toContain("cm0g");
    }
    expect(Buffer.from(stored.bytes).toString()).toBe("abc\n".repeat(9));
  });

  test("64 MiB of `yes` stay within the bounds of memory, artifact and live view (R-EX-11)", async () => {
    capability = make(undefined, { maxArtifactBytes: 1_000_000 });
    const { exec, site } = open({ sandbox: { maxOutputBytes: 10_000 } });
    const before = process.memoryUsage().rss;
    const { stdout, truncations, artifacts } = await exec.run({ command: "yes | head -c 67108864" });
    expect(truncations).toEqual([{ path: "/stdout", unit: "bytes", total: 67_108_864, kept: 10_000 }]);
    expect(stdout).toContain(`artifact ${artifacts[0]?.id} holds only the first 1000000 bytes`);
    expect(site.told.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(10_100);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  test("a store that fails does not fail the run, and the loss is said", async () => {
    const failing = {
      ...createCallSite().artifacts,
      create: async () => {
        throw new Error("disk_full");
      },
    };
    const { exec } = open({ sandbox: { maxOutputBytes: 100 }, artifacts: failing });
    const result = await exec.run({ command: "seq 1 1000" });
    expect(result).toMatchObject({ exitCode: 0, artifacts: [] });
    expect(result.stdout).toContain("they could not be kept");
  });
});

describe("the end of a run", () => {
  test("an abort kills and the reason is `cancelled`", async () => {
    const abort = new AbortController();
    const { exec } = open({ signal: abort.signal, output: () => abort.abort() });
    const result = await exec.run({ command: "echo started; sleep 60" });
    expect(result).toMatchObject({ reason: "cancelled", stdout: "started\n" });
  });

  test("a call that was aborted before starts nothing", async () => {
    await expect(open({ signal: AbortSignal.abort() }).exec.run({ command: "true" })).rejects.toThrow();
  });

  test.each([
    ["its own limit", { timeoutMs: 100 }, 20_000],
    ["the limit of the policy, which caps its own", { timeoutMs: 60_000 }, 100],
  ])("a run ends at %s with the reason `timeout`", async (_, spec, timeoutMs) => {
    const { exec } = open({ sandbox: { timeoutMs } });
    expect(await exec.run({ command: "sleep 60", ...spec })).toMatchObject({ reason: "timeout" });
  });
});

describe("the driver", () => {
  const started: string[] = [];
  const isolating = (name: string, available: boolean, networks: ("none" | "host")[] = ["none", "host"]): SandboxDriver => ({
    ...host,
    name,
    traits: { isolation: "namespaces", networks },
    probe: async () => ({ available, detail: available ? "1.0" : "it is not installed.", remedy: "apt install it", limits: {} }),
    start(spec) {
      started.push(name);
      return host.start(spec);
    },
  });

  test("`auto` takes the first that isolates and is there", async () => {
    capability = make([{ ...host, name: "plain" }, isolating("absent", false), isolating("second", true), isolating("third", true)]);
    await open({ sandbox: { mode: "auto" } }).exec.run({ command: "true" });
    expect(started).toEqual(["second"]);
  });

  test.each([
    ["`auto` never takes one without isolation", "auto", [host], /Known drivers: host/],
    ["an unknown name is refused", "docker", [host], /Known drivers: host/],
    ["a missing one is refused with its remedy", "absent", [isolating("absent", false), host], /apt install it/],
    ["one without the demanded network is refused", "plain", [isolating("plain", true, ["host"])], /network "none"/],
  ])("%s (R-SB-3)", async (_, mode, drivers, message) => {
    capability = make(drivers);
    const refused = open({ sandbox: { mode, network: "none" } }).exec.run({ command: "true" });
    await expect(refused).rejects.toMatchObject({ code: "sandbox_unavailable" });
    await expect(refused).rejects.toThrow(message);
  });

  test("a weaker one is taken only when the policy asks about it and a person approved", async () => {
    capability = make([isolating("absent", false), host]);
    const run = (unavailable: "ask" | "refuse", approved: boolean) =>
      open({ approved, sandbox: { mode: "auto", network: "none", unavailable } }).exec.run({ command: "echo ran" });
    await expect(run("ask", false)).rejects.toMatchObject({ code: "sandbox_unavailable" });
    await expect(run("refuse", true)).rejects.toMatchObject({ code: "sandbox_unavailable" });
    expect(await run("ask", true)).toMatchObject({ stdout: "ran\n", posture: { runtime: "host", isolation: "none" } });
  });
});
