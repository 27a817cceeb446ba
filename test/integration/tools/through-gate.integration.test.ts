import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallResult, createEngine, notedOutput, type Principal } from "@toolwright/engine";
import { policyDocument } from "@toolwright/engine/policy";
import { createBwrapDriver, execCapability, filesCapability } from "@toolwright/sandbox";
import { builtinPermissions, fileTools, runtimeTools } from "@toolwright/tools";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const prober = createBwrapDriver();
const sandbox = await prober.probe();
await prober.close();
const principal: Principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: builtinPermissions, door: "cli" };

let workspace: string;
let closing: (() => Promise<void>)[] = [];

function openScope(policy: object = {}) {
  const driver = createBwrapDriver({ warm: 0 });
  const files = filesCapability({ workspaceOf: () => workspace, driver });
  const exec = execCapability({ drivers: [driver], workspaceOf: () => workspace });
  const engine = createEngine({
    tools: [...fileTools, ...runtimeTools],
    capabilities: [files, exec],
    machine: () => ({ sandbox }),
    policy: [{ tier: "platform", document: policyDocument.parse({ version: 1, ...policy }) }],
  });
  // The driver is closed before its workspace goes: it takes away what it put there.
  closing.push(() => engine.close().then(() => driver.close()));
  return engine.scope(principal, { session: "s" });
}

const textOf = (result: CallResult) => {
  if (result.status !== "done") throw new Error(JSON.stringify(result));
  return result.content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
};

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "toolwright-gate-"));
});
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
  rmSync(workspace, { recursive: true, force: true });
});

describe("the built-in tools through the gate", () => {
  test("files are written, found, read and edited", async () => {
    const scope = openScope();
    await scope.invokeNamed("file_write", { path: "src/a.ts", content: "const port = 80;\n" });
    expect(textOf(await scope.invokeNamed("file_search", { type: "grep", pattern: "port" }))).toBe("src/a.ts:1: const port = 80;");
    await scope.invokeNamed("file_edit", { file_path: "src/a.ts", old_string: "80", new_string: "8080" });
    expect(textOf(await scope.invokeNamed("file_read", { path: "src/a.ts" }))).toContain("const port = 8080;");
  });

  test("deleting waits for a person under supervision", async () => {
    writeFileSync(join(workspace, "a.txt"), "a");
    expect((await openScope().invokeNamed("file_delete", { path: "a.txt" })).status).toBe("pending");
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("a");
  });

  test("a patch runs unasked, unless it deletes files: then it waits, and shows a person each file before and after", async () => {
    writeFileSync(join(workspace, "a.txt"), "a\n");
    writeFileSync(join(workspace, "b.txt"), "b\n");
    const scope = openScope();
    const patch = (...lines: readonly string[]) => ({ patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
    expect((await scope.invokeNamed("file_patch", patch("*** Update File: a.txt", "*** Move to: c.txt", "@@", "-a", "+A"))).status).toBe(
      "done",
    );
    const waits = await scope.invokeNamed(
      "file_patch",
      patch("*** Update File: c.txt", "*** Move to: d.txt", "@@", "-A", "+D", "*** Delete File: b.txt"),
    );
    if (waits.status !== "pending") throw new Error(JSON.stringify(waits));
    expect(waits.approval.reason).toContain("deleted");
    expect([readFileSync(join(workspace, "b.txt"), "utf8"), readFileSync(join(workspace, "c.txt"), "utf8")]).toEqual(["b\n", "A\n"]);
  });

  test("an edit that does not fit fails with the nearest lines", async () => {
    writeFileSync(join(workspace, "a.txt"), "const port = 8080;\n");
    const result = await openScope().invokeNamed("file_edit", { path: "a.txt", oldText: "const port = 80;", newText: "" });
    expect(result).toMatchObject({ status: "failed", error: { code: "tool_failed", toolCode: "text_not_found" } });
    expect(JSON.stringify(result)).toContain("1: const port = 8080;");
  });
});

describe.skipIf(!sandbox.available)("commands through the gate", () => {
  test("a reviewed reading command runs unasked, under the name that models give it, with its posture", async () => {
    writeFileSync(join(workspace, "a.txt"), "hello\n");
    const result = await openScope().invokeNamed("exec", { cmd: "cat a.txt" });
    expect(result).toMatchObject({
      status: "done",
      output: { stdout: "hello\n", exit: { exitCode: 0 } },
      posture: { runtime: "bwrap", network: "none" },
    });
    expect(result.notes?.[0]).toContain('"cmd"');
  });

  test("ls costs its answer and a few tokens, once the session knows what its runs lack", async () => {
    writeFileSync(join(workspace, "a.txt"), "hello\n");
    const scope = openScope();
    const first = await scope.invokeNamed("exec", { command: "ls" });
    expect(first.notes).toEqual([expect.stringMatching(/^Protection of runs here \(bwrap\): .{5,180}$/)]);
    const result = await scope.invokeNamed("exec", { command: "ls" });
    if (result.status !== "done") throw new Error(JSON.stringify(result));
    const seen = JSON.stringify(notedOutput(result, scope.find("exec")?.outputSchema));
    // About four characters are a token.
    expect((seen.length - "a.txt".length) / 4).toBeLessThan(30);
  });

  test("a command that is not reviewed waits for a person, and nothing runs", async () => {
    const result = await openScope().invokeNamed("exec", { command: "touch made" });
    expect(["pending", "denied"]).toContain(result.status);
  });

  test("long output is cut once, and the artifact holds it all", async () => {
    writeFileSync(join(workspace, "long.txt"), "0123456789abcde\n".repeat(20_000));
    const scope = openScope();
    const result = await scope.invokeNamed("exec", { command: "cat long.txt" });
    expect(result).toMatchObject({ status: "done", truncations: [], output: { truncated: true } });
    expect(textOf(result)).toContain("288000 of 320000 bytes are missing here");
    expect((await scope.artifacts()).map(({ size }) => size)).toEqual([320_000]);
  });

  test("a refused network is said to the model", async () => {
    const scope = openScope({ autonomy: "full", commands: { mode: "full" } });
    const result = await scope.invokeNamed("exec", { command: "exec 3<>/dev/tcp/192.0.2.1/80" });
    expect(result).toMatchObject({ status: "done", output: { stderr: expect.stringContaining("unreachable") } });
    expect(result.anomalies).toMatchObject([{ kind: "network_refused" }]);
    expect(textOf(result)).toMatch(/network/i);
  });

  test("writing to a process asks, because what is typed in is not judged", async () => {
    const scope = openScope({ commands: { mode: "full" } });
    const started = await scope.invokeNamed("exec", { command: "cat", background: true });
    const id = started.status === "done" ? (started.output as { processId: string }).processId : JSON.stringify(started);
    expect((await scope.invokeNamed("process_write", { id, data: "x" })).status).toBe("pending");
    expect(textOf(await scope.invokeNamed("process_stop", { process_id: id }))).toContain("stopped on request");
  });

  test("a cancelled call ends its command", async () => {
    const abort = new AbortController();
    const scope = openScope({ autonomy: "full", commands: { mode: "full" } });
    const calling = scope.invokeNamed("exec", { command: "echo up; sleep 60" }, { signal: abort.signal, onOutput: () => abort.abort() });
    expect((await calling).status).toBe("cancelled");
  });
});
