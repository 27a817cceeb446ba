import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { ANSWER_APPROVALS } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { EngineOptions } from "../engine-types.ts";
import { createMemoryApprovalStore } from "../memory/approval-store.ts";
import type { CapabilityProvider, Fingerprint } from "../ports/capability.ts";
import { sharedSessions } from "../testing/shared-sessions.ts";
import { type AnyTool, defineTool } from "../tool/define-tool.ts";

const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };
const person: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: [ANSWER_APPROVALS],
  door: "cli",
  interactive: true,
};
const run = vi.fn(() => ({ ok: true }));
const shell = defineTool({
  name: "shell",
  description: "Runs a command.",
  input: z.object({ command: z.string().describe("Command") }),
  output: z.object({ ok: z.boolean() }),
  effects: { exec: "run" },
  reaches: ({ command }) => [{ kind: "command", command }],
  run,
}) as AnyTool;

function setUp(options: EngineOptions = {}) {
  run.mockClear();
  const world: { script: string; print?: Fingerprint } = { script: "make test" };
  const exec = {
    name: "exec",
    open: () => ({}) as never,
    fingerprint: async (reach) => (reach.kind === "command" ? (world.print ?? world.script) : undefined),
  } satisfies CapabilityProvider<"exec">;
  const approvals = createMemoryApprovalStore();
  const machine = () => ({ sandbox: { available: true, detail: "test" } });
  const engine = createEngine({ tools: [shell], capabilities: [exec], approvals, machine, sessions: sharedSessions(), ...options });
  const scopeOf = (principal: Principal) => engine.scope(principal, { session: "s1" });
  const approve = async () => {
    const result = await scopeOf(agent).invokeNamed("shell", { command: "./run-all" });
    if (result.status !== "pending") throw new Error(JSON.stringify(result));
    await scopeOf(person).answer(result.approval.id, { kind: "approve" });
    return result.approval.id;
  };
  return { world, scopeOf, approve, approvals };
}

describe("what an approval holds still", () => {
  it("is also what stands behind the text: a swapped script voids it (R-AP-3)", async () => {
    const { world, scopeOf, approve } = setUp();
    const id = await approve();
    world.script = "rm -rf /";
    expect(await scopeOf(agent).resume(id)).toMatchObject({
      status: "failed",
      error: { code: "approval_void", message: expect.stringMatching(/folder, program or script/) },
    });
    world.script = "make test";
    expect(await scopeOf(agent).resume(id)).toMatchObject({ status: "done" });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("names the files that changed, came and went, and says what to do (R-AP-3)", async () => {
    const { world, scopeOf, approve } = setUp();
    const print = (...parts: [string, string][]) => ({ digest: JSON.stringify(parts), parts });
    world.print = print(["run-all", "1"], ["package.json", "1"], ["gone.cfg", "1"], ["__proto__", "1"]);
    const id = await approve();
    world.print = print(["run-all", "1"], ["package.json", "2"], ["sub/new\u202e.cfg", "1"], ["__proto__", "2"]);
    expect(await scopeOf(agent).resume(id)).toMatchObject({
      status: "failed",
      error: {
        code: "approval_void",
        message: expect.stringMatching(
          /changed since.* Look at "package\.json" \(changed\), "gone\.cfg" \(is gone\), "__proto__" \(changed\), "sub\/new<U\+202E>\.cfg" \(is new\) first\. Make the call again\.$/,
        ),
      },
    });
    expect(run).not.toHaveBeenCalled();
  });

  it("must be known: nobody is asked about a call that could be another thing by the time it runs (R-AP-3)", async () => {
    const { world, scopeOf, approvals } = setUp();
    world.print = { digest: "d", unsettled: "Write out the folder." };
    expect(await scopeOf(agent).invokeNamed("shell", { command: "./run-all" })).toMatchObject({
      status: "denied",
      decision: { rule: "approval.unsettled", reason: "Write out the folder." },
    });
    expect(await approvals.list("acme")).toEqual([]);
  });

  it("is what the person was told: a risk that was not disclosed voids it", async () => {
    let available = true;
    const { scopeOf, approve, approvals } = setUp({
      policy: [{ tier: "platform", document: { version: 1, sandbox: { unavailable: "ask" } } }],
      machine: () => ({ sandbox: { available, detail: "gone" } }),
    });
    const id = await approve();
    available = false;
    expect(await scopeOf(agent).resume(id)).toMatchObject({ error: { code: "approval_void", message: expect.stringMatching(/risks/) } });
    expect((await approvals.get("acme", id))?.claimedAt).toBeUndefined();
    expect(run).not.toHaveBeenCalled();
  });

  it("is who asked: it names caller, tenant, definition, policy, secrets, input, risks and machine", async () => {
    const { approve, approvals } = setUp();
    const stored = await approvals.get("acme", await approve());
    expect(Object.keys(stored?.record.binding ?? {}).sort()).toEqual([
      "caller",
      "definition",
      "disclosed",
      "input",
      "policyRevision",
      "secrets",
      "world",
    ]);
  });

  it("is not taken up by a sub-agent of the same name, nor the other way round", async () => {
    const { scopeOf, approve } = setUp();
    const id = await approve();
    const parent: Principal = { ...agent, actor: { kind: "agent", id: "boss" }, agent: "boss" };
    const child = scopeOf(parent).child({ agent: "helper" });
    expect(await child.resume(id)).toMatchObject({ error: { code: "approval_not_found" } });
    const own = await child.invokeNamed("shell", { command: "./run-all" });
    if (own.status !== "pending") throw new Error(own.status);
    expect(await scopeOf(agent).resume(own.approval.id)).toMatchObject({ error: { code: "approval_not_found" } });
    expect(await child.resume(own.approval.id)).toMatchObject({ status: "pending" });
  });
});
