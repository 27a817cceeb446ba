import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ANSWER_APPROVALS, type AnyTool, createEngine, defineTool, type Principal } from "@toolwright/engine";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createHostDriver } from "../drivers/index.ts";
import { createCallSite } from "../testing/call-site.ts";
import { fingerprintCommand } from "./fingerprint-command.ts";
import { execCapability } from "./index.ts";

let folder: string;
let workspace: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolwright-fingerprint-"));
  workspace = join(folder, "workspace");
  mkdirSync(join(workspace, "sub"), { recursive: true });
  put("ok.sh", "echo ok");
  put("sub/ok.sh", "echo sub");
  put("my run.sh", "echo mine");
  put("../outside.sh", "echo outside");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (path: string, text: string) => writeFileSync(join(workspace, path), text);
const printOf = (command: string, workdir: string | null = null) => fingerprintCommand(() => workspace, { command, workdir });
const fingerprint = async (command: string, workdir: string | null = null) => (await printOf(command, workdir)).digest;

describe("the fingerprint of a command (R-AP-3)", () => {
  test.each([
    ["a script", "bash ok.sh", null, "ok.sh"],
    ["a program", "./ok.sh --now", null, "ok.sh"],
    ["a script with a blank in its name", "bash 'my run.sh'", null, "my run.sh"],
    ["a script in the folder of the call", "bash ok.sh", "sub", "sub/ok.sh"],
    ["a script in a folder that the line enters", "cd sub && ./ok.sh", null, "sub/ok.sh"],
    ["a script of an inner line", `sh -c "bash sub/ok.sh"`, null, "sub/ok.sh"],
    ["a script by its absolute path", "bash $W/ok.sh", null, "ok.sh"],
    ["a script behind the standard input", "bash <ok.sh", null, "ok.sh"],
  ])("%s: equal while unchanged, another when its content changes", async (_, line, workdir, path) => {
    const command = line.replace("$W", workspace);
    const before = await fingerprint(command, workdir);
    expect(await fingerprint(command, workdir)).toBe(before);
    put("unnamed.txt", "x");
    expect(await fingerprint(command, workdir)).toBe(before);
    put(path, "rm -rf .");
    expect(await fingerprint(command, workdir)).not.toBe(before);
  });

  test("differs when the link that is the folder leads elsewhere, though the content is the same", async () => {
    mkdirSync(join(workspace, "other"));
    symlinkSync("sub", join(workspace, "link"));
    const before = await fingerprint("make", "link");
    expect(await fingerprint("make", "link")).toBe(before);
    unlinkSync(join(workspace, "link"));
    symlinkSync("other", join(workspace, "link"));
    expect(await fingerprint("make", "link")).not.toBe(before);
  });

  test("differs when a script becomes a link to the same content, and when a missing one appears", async () => {
    const [script, absent] = [await fingerprint("bash ok.sh"), await fingerprint("bash new.sh")];
    renameSync(join(workspace, "ok.sh"), join(workspace, "moved.sh"));
    symlinkSync("moved.sh", join(workspace, "ok.sh"));
    put("new.sh", "true");
    expect(await fingerprint("bash ok.sh")).not.toBe(script);
    expect(await fingerprint("bash new.sh")).not.toBe(absent);
  });

  test.each([
    ["by its path", "bash ../outside.sh"],
    ["by its absolute path", "bash $W/../outside.sh"],
    ["through a link", "bash link.sh"],
  ])("a file outside the workspace is not read: %s", async (_, line) => {
    const command = line.replace("$W", workspace);
    symlinkSync("../outside.sh", join(workspace, "link.sh"));
    const before = await fingerprint(command);
    put("../outside.sh", "echo other");
    expect(await fingerprint(command)).toBe(before);
  });

  test("a large file counts by its size and times, an unreadable one and a pipe do no harm", async () => {
    put("large.bin", "");
    truncateSync(join(workspace, "large.bin"), 9 * 1024 * 1024);
    chmodSync(join(workspace, "ok.sh"), 0o000);
    execFileSync("mkfifo", [join(workspace, "pipe")]);
    const before = await fingerprint("./large.bin ok.sh <pipe");
    expect(await fingerprint("./large.bin ok.sh <pipe")).toBe(before);
    truncateSync(join(workspace, "large.bin"), 9 * 1024 * 1024 + 1);
    expect(await fingerprint("./large.bin ok.sh <pipe")).not.toBe(before);
  });

  test("of more bytes than it reads, the last counts by its times", async () => {
    const names = Array.from({ length: 9 }, (_, index) => `f${index}.sh`);
    for (const name of names) put(name, "");
    for (const name of names) truncateSync(join(workspace, name), 8 * 1024 * 1024);
    const before = await fingerprint(names.join(" "));
    expect(await fingerprint(names.join(" "))).toBe(before);
    utimesSync(join(workspace, "f8.sh"), 1, 1);
    expect(await fingerprint(names.join(" "))).not.toBe(before);
  });

  test("a missing workspace or folder is an answer, not an error", async () => {
    expect(await fingerprint("bash ok.sh", "missing")).toBe("missing");
    rmSync(workspace, { recursive: true });
    expect(await fingerprint("bash ok.sh")).toBe("missing");
  });

  test("other reaches have none", async () => {
    const capability = execCapability({ drivers: [], workspaceOf: () => workspace });
    expect(await capability.fingerprint?.({ kind: "path", path: "ok.sh", access: "read" }, createCallSite())).toBeUndefined();
  });
});

describe("an approved command", () => {
  const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, permissions: [], door: "mcp" };
  const person: Principal = {
    ...agent,
    actor: { kind: "user", id: "ann" },
    permissions: [ANSWER_APPROVALS],
    door: "cli",
    interactive: true,
  };
  const shell = defineTool({
    name: "shell",
    description: "Runs a command.",
    input: z.object({ command: z.string().describe("Command") }),
    output: z.object({ stdout: z.string() }),
    effects: { exec: "run" },
    reaches: ({ command }) => [{ kind: "command", command, workdir: null }],
    run: async ({ command }, { exec }) => ({ stdout: (await exec.run({ command })).stdout }),
  }) as AnyTool;

  test("is not asked about where it only reads the workspace by its absolute path, with links in it or without", async () => {
    put("words.txt", "hello");
    const link = `${workspace}-link`;
    symlinkSync(workspace, link);
    const driver = createHostDriver();
    const engine = createEngine({
      tools: [{ ...shell, reaches: ({ command }) => [{ kind: "command", command, workdir: null, roots: ["/etc"] }] } as AnyTool],
      capabilities: [execCapability({ drivers: [driver], workspaceOf: () => link })],
      machine: () => ({ sandbox: { available: true, detail: "test" } }),
      policy: [{ tier: "platform", document: { version: 1, sandbox: { mode: "host", network: "host" } } }],
    });
    try {
      const scope = engine.scope(agent, { session: "s1" });
      const run = async (command: string) => scope.invokeNamed("shell", { command });
      for (const root of [workspace, link])
        expect(await run(`cat ${root}/words.txt && cd ${root}`)).toMatchObject({ status: "done", output: { stdout: "hello" } });
      expect(await run(`cat ${workspace}/../words.txt`)).toMatchObject({ status: "pending" });
      expect(await run("cat /etc/hostname")).toMatchObject({ status: "pending" });
    } finally {
      rmSync(link);
      await engine.close();
      await driver.close();
    }
  });

  test("is void when its script was swapped, and runs when it is as it was (R-AP-3)", async () => {
    const driver = createHostDriver();
    const engine = createEngine({
      tools: [shell],
      capabilities: [execCapability({ drivers: [driver], workspaceOf: () => workspace })],
      machine: () => ({ sandbox: { available: true, detail: "test" } }),
      policy: [{ tier: "platform", document: { version: 1, sandbox: { mode: "host", network: "host" } } }],
    });
    try {
      const scope = engine.scope(agent, { session: "s1" });
      const asked = await scope.invokeNamed("shell", { command: "bash ok.sh" });
      if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
      await engine.scope(person, { session: "of-person" }).answer(asked.approval.id, { kind: "approve" });
      put("ok.sh", "touch harmed");
      expect(await scope.resume(asked.approval.id)).toMatchObject({
        status: "failed",
        error: { code: "approval_void", message: expect.stringMatching(/folder, program or script/) },
      });
      expect(await scope.resume(asked.approval.id)).toMatchObject({
        error: { message: expect.stringMatching(/Look at "ok\.sh" \(changed\)/) },
      });
      put("ok.sh", "echo ok");
      expect(await scope.resume(asked.approval.id)).toMatchObject({ status: "done", output: { stdout: "ok\n" } });
    } finally {
      await engine.close();
      await driver.close();
    }
  });
});
