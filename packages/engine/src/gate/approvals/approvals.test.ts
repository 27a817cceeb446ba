import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { createEngine } from "../../engine.ts";
import type { Engine, EngineOptions } from "../../engine-types.ts";
import { createMemoryApprovalStore } from "../../memory/approval-store.ts";
import { createMemoryEventLog } from "../../memory/event-log.ts";
import { createMemorySecretStore } from "../../memory/secret-store.ts";
import { defaultPolicy } from "../../policy/document/policy-document.ts";
import type { CapabilityProvider } from "../../ports/capability.ts";
import type { Exec } from "../../ports/exec.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { sharedSessions } from "../../testing/shared-sessions.ts";
import { type AnyTool, defineTool } from "../../tool/define-tool.ts";

const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };
const person: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: [ANSWER_APPROVALS],
  door: "cli",
  interactive: true,
};

function setUp(options: EngineOptions & { description?: string } = {}) {
  const run = vi.fn(({ euros }: { euros: number }) => ({ paid: euros }));
  const tool = defineTool({
    name: "pay",
    description: options.description ?? "Pays an amount of money.",
    input: z.object({ euros: z.number().describe("Amount") }),
    output: z.object({ paid: z.number() }),
    effects: { secrets: ["BANK"] },
    approval: "always_ask",
    run,
  }) as AnyTool;
  const secrets = createMemorySecretStore();
  void secrets.set({ tenant: "acme", name: "BANK" }, "bank-key-1");
  const clock = createManualClock();
  const approvals = options.approvals ?? createMemoryApprovalStore();
  const engine = createEngine({ tools: [tool], secrets, clock, approvals, sessions: sharedSessions(), ...options });
  return { run, engine, secrets, clock, approvals };
}

const scopeOf = (engine: Engine, principal = agent) => engine.scope(principal, { session: "s1" });

async function ask(engine: Engine, euros = 5): Promise<string> {
  const result = await scopeOf(engine).invokeNamed("pay", { euros });
  if (result.status !== "pending") throw new Error(`expected pending, got ${JSON.stringify(result)}`);
  return result.approval.id;
}

describe("approval of a call", () => {
  it("that came with files holds for those files, which have to come again", async () => {
    const { engine, run } = setUp();
    const [bill, other] = ["bill", "other"].map((text) => [
      { name: "bill.txt", mediaType: "text/plain", bytes: async () => new TextEncoder().encode(text) },
    ]);
    const ask = (attachments = bill) => scopeOf(engine).invokeNamed("pay", { euros: 5 }, { attachments, idempotencyKey: "k1" });
    const asked = await ask();
    if (asked.status !== "pending") throw new Error(asked.status);
    expect(asked.notes).toEqual([expect.stringContaining("are not kept while it waits")]);
    const { id } = asked.approval;
    await scopeOf(engine, person).answer(id, { kind: "approve" });
    expect(await scopeOf(engine).resume(id)).toMatchObject({
      error: {
        code: "approval_void",
        message: expect.stringContaining("did not come again. The approval stays for the same call with the same files"),
      },
    });
    expect(await scopeOf(engine).resume(id, { attachments: other })).toMatchObject({
      error: { code: "approval_void", message: expect.stringContaining("a file that came with the call changed") },
    });
    expect(run).not.toHaveBeenCalled();
    expect(await ask()).toMatchObject({ status: "done" });
    expect(run).toHaveBeenCalledOnce();
  });

  it("waits as a durable record that says what would happen, and runs nothing", async () => {
    const { engine, run } = setUp();
    const id = await ask(engine);
    expect(run).not.toHaveBeenCalled();
    expect((await scopeOf(engine, person).approvals()).map(({ record }) => [record.id, record.summary])).toEqual([
      [id, 'Pay with “{"euros":5}”? As declared, it changes nothing.'],
    ]);
    expect(await scopeOf(engine).resume(id)).toMatchObject({ status: "pending", approval: { id } });
  });

  it("runs once when a person approved, however many resume at once (R-AP-4)", async () => {
    const { engine, run } = setUp();
    const id = await ask(engine);
    await scopeOf(engine, person).answer(id, { kind: "approve" });
    const results = await Promise.all(Array.from({ length: 100 }, () => scopeOf(engine).resume(id)));
    expect(results.filter(({ status }) => status === "done")).toHaveLength(1);
    expect(results.filter((result) => result.status === "failed" && result.error.code === "approval_used")).toHaveLength(99);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("is resumed by a fresh engine on the same store, as after a restart", async () => {
    const { engine, approvals } = setUp();
    const id = await ask(engine);
    await scopeOf(engine, person).answer(id, { kind: "approve" });
    expect(await scopeOf(setUp({ approvals }).engine).resume(id)).toMatchObject({
      status: "done",
      output: { paid: 5 },
      decision: { rule: "approval.approve", reason: expect.stringContaining("ann") },
    });
  });

  it("gives each of several parallel calls its own approval", async () => {
    const { engine, run } = setUp();
    const [first, second] = [await ask(engine, 1), await ask(engine, 2)];
    await scopeOf(engine, person).answer(first, { kind: "approve" });
    expect(await scopeOf(engine).resume(first)).toMatchObject({ output: { paid: 1 } });
    expect(await scopeOf(engine).resume(second)).toMatchObject({ status: "pending" });
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe("asking again for what was answered", () => {
  it.each([
    { name: "a call that ran", outcome: { kind: "approve" }, ended: "tool.completed", again: "failed" },
    { name: "a call that was denied", outcome: { kind: "deny", message: "No." }, ended: "tool.denied", again: "denied" },
    {
      name: "a call that was answered by a person",
      outcome: { kind: "respond", message: "Ask Bob." },
      ended: "tool.denied",
      again: "denied",
    },
  ] as const)("changes nothing in the log of $name, also when the approval would have expired since", async ({ outcome, ended, again }) => {
    const events = createMemoryEventLog();
    const { engine, clock } = setUp({ events });
    const id = await ask(engine);
    await scopeOf(engine).resume(id);
    await scopeOf(engine, person).answer(id, outcome);
    const results = await Promise.all([1, 2, 3].map(() => scopeOf(engine).resume(id)));
    await clock.advance(100 * 24 * 3_600_000);
    expect(await scopeOf(engine).resume(id)).toMatchObject({ status: again });
    const types = (await events.read({ tenant: "acme", session: "s1" })).map(({ event }) => event.type);
    expect(types.filter((type) => type === "tool.needs_approval")).toHaveLength(1);
    expect(types.filter((type) => /^tool\.(completed|denied|failed)/.test(type))).toEqual([ended]);
    expect(results.filter(({ status }) => status === again).length).toBeGreaterThanOrEqual(2);
  });
});

describe("a client that can only call again", () => {
  const again = (engine: Engine, euros = 5) => scopeOf(engine).invokeNamed("pay", { euros }, { takeUpWaiting: true });

  it("takes up the approval it waits for, also after a restart, and runs once", async () => {
    const { engine, approvals, run } = setUp();
    const first = await again(engine);
    const second = await again(setUp({ approvals }).engine);
    if (first.status !== "pending" || second.status !== "pending") throw new Error("expected both to wait");
    expect(second.approval.id).toBe(first.approval.id);
    await scopeOf(engine, person).answer(first.approval.id, { kind: "approve" });
    expect(await again(engine)).toMatchObject({ status: "done", output: { paid: 5 } });
    expect(await again(engine)).toMatchObject({ status: "pending" });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("asks anew for another input, and again after a denial was told", async () => {
    const { engine } = setUp();
    const first = await again(engine);
    const other = await again(engine, 6);
    if (first.status !== "pending" || other.status !== "pending") throw new Error("expected both to wait");
    expect(other.approval.id).not.toBe(first.approval.id);
    await scopeOf(engine, person).answer(first.approval.id, { kind: "deny", message: "No." });
    expect(await again(engine)).toMatchObject({ status: "denied", message: "No." });
    expect(await again(engine)).toMatchObject({ status: "pending" });
    expect(await scopeOf(engine).resume(first.approval.id)).toMatchObject({ status: "denied" });
  });

  it("takes up nobody else's approval", async () => {
    const { engine } = setUp();
    const id = await ask(engine);
    await scopeOf(engine, person).answer(id, { kind: "approve" });
    const other = await scopeOf(engine, { ...agent, actor: { kind: "agent", id: "other" } }).invokeNamed(
      "pay",
      { euros: 5 },
      { takeUpWaiting: true },
    );
    expect(other.status).toBe("pending");
  });
});

describe("the permissions of whoever asked", () => {
  it("are those of today when the call is resumed", async () => {
    const tool = defineTool({
      name: "pay",
      description: "Pays an amount of money.",
      input: z.object({}),
      output: z.object({}),
      approval: "always_ask",
      permission: "bank:pay",
      run: () => ({}),
    }) as AnyTool;
    const engine = createEngine({ tools: [tool], sessions: sharedSessions() });
    const asking = { ...agent, permissions: ["bank:pay"] };
    const pending = await scopeOf(engine, asking).invokeNamed("pay", {});
    if (pending.status !== "pending") throw new Error(pending.status);
    await scopeOf(engine, person).answer(pending.approval.id, { kind: "approve" });
    expect(await scopeOf(engine, agent).resume(pending.approval.id)).toMatchObject({ status: "failed", error: { code: "tool_not_found" } });
    expect(await scopeOf(engine, asking).resume(pending.approval.id)).toMatchObject({ status: "done" });
  });
});

describe("the four outcomes", () => {
  it("deny: the tool does not run and the model reads the person's words", async () => {
    const { engine, run } = setUp();
    const id = await ask(engine);
    await scopeOf(engine, person).answer(id, { kind: "deny", message: "Too expensive." });
    expect(await scopeOf(engine).resume(id)).toMatchObject({
      status: "denied",
      message: "Too expensive.",
      decision: { rule: "approval.deny" },
    });
    expect(run).not.toHaveBeenCalled();
  });

  it("edit: the tool runs with the person's input, which is parsed like any other", async () => {
    const { engine } = setUp();
    const id = await ask(engine);
    await scopeOf(engine, person).answer(id, { kind: "edit", input: { euros: "3" } });
    expect(await scopeOf(engine).resume(id)).toMatchObject({ status: "done", output: { paid: 3 } });
  });

  it("edit: an input that does not fit is refused at once, and the approval stays open", async () => {
    const { engine } = setUp();
    const id = await ask(engine);
    const answer = scopeOf(engine, person).answer(id, { kind: "edit", input: { euros: "many" } });
    await expect(answer).rejects.toMatchObject({ code: "invalid_input", message: expect.stringContaining("euros") });
    expect(await scopeOf(engine).resume(id)).toMatchObject({ status: "pending" });
  });

  it("respond: the tool does not run and the model reads the answer", async () => {
    const { engine, run } = setUp();
    const id = await ask(engine);
    await scopeOf(engine, person).answer(id, { kind: "respond", message: "Already paid in cash." });
    expect(await scopeOf(engine).resume(id)).toMatchObject({
      status: "denied",
      message: "Already paid in cash.",
      decision: { rule: "approval.respond" },
    });
    expect(run).not.toHaveBeenCalled();
  });
});

describe("drift voids an approval, and says what changed (R-AP-2)", () => {
  const drifts: [string, (set: ReturnType<typeof setUp>) => Engine, string][] = [
    ["the tool's definition", ({ approvals }) => setUp({ approvals, description: "Pays an amount of money, twice." }).engine, "definition"],
    [
      "the policy",
      ({ engine }) => {
        engine.setPolicy([{ tier: "platform", document: { ...defaultPolicy, tools: { ask: ["pay"] } } }]);
        return engine;
      },
      "policy",
    ],
    [
      "a secret",
      ({ engine, secrets }) => {
        void secrets.set({ tenant: "acme", name: "BANK" }, "bank-key-2");
        return engine;
      },
      "secret",
    ],
  ];
  it.each(drifts)("when %s changed", async (_, drift, word) => {
    const set = setUp();
    const id = await ask(set.engine);
    await scopeOf(set.engine, person).answer(id, { kind: "approve" });
    expect(await scopeOf(drift(set)).resume(id)).toMatchObject({
      status: "failed",
      error: { code: "approval_void", message: expect.stringContaining(word) },
    });
    expect(set.run).not.toHaveBeenCalled();
  });

  it("when it was not used in time (R-AP-5)", async () => {
    const { engine, clock } = setUp({ approvalTtlMs: 1000 });
    const id = await ask(engine);
    await scopeOf(engine, person).answer(id, { kind: "approve" });
    await clock.advance(1000);
    expect(await scopeOf(engine).resume(id)).toMatchObject({ error: { code: "approval_expired" } });
    const late = await ask(engine);
    await clock.advance(1000);
    await expect(scopeOf(engine, person).answer(late, { kind: "approve" })).rejects.toMatchObject({ code: "approval_expired" });
  });

  it("when the policy now denies it", async () => {
    const { engine, run } = setUp();
    const id = await ask(engine);
    await scopeOf(engine, person).answer(id, { kind: "approve" });
    engine.setPolicy([{ tier: "platform", document: { ...defaultPolicy, tools: { deny: ["pay"] } } }]);
    expect((await scopeOf(engine).resume(id)).status).not.toBe("done");
    expect(run).not.toHaveBeenCalled();
  });
});

describe("who may answer (R-AP-6)", () => {
  const refused: [string, Principal, string][] = [
    ["the agent that asks", agent, "approval_not_allowed"],
    ["an agent with the permission", { ...agent, permissions: [ANSWER_APPROVALS], interactive: true }, "approval_not_allowed"],
    ["a service with the permission", { ...person, actor: { kind: "service", id: "ci" } }, "approval_not_found"],
    ["a person without the permission", { ...person, permissions: [] }, "approval_not_found"],
    ["a person whom no door can reach now", { ...person, interactive: false }, "approval_not_found"],
    ["a person of another tenant", { ...person, tenant: "other" }, "approval_not_found"],
  ];
  it.each(refused)("not %s", async (_, principal, code) => {
    const { engine } = setUp();
    const id = await ask(engine);
    await expect(scopeOf(engine, principal).answer(id, { kind: "approve" })).rejects.toMatchObject({ code });
    expect(await scopeOf(engine).resume(id)).toMatchObject({ status: "pending" });
  });

  it("answers once: the second answer is refused", async () => {
    const { engine } = setUp();
    const id = await ask(engine);
    await scopeOf(engine, person).answer(id, { kind: "deny" });
    await expect(scopeOf(engine, person).answer(id, { kind: "approve" })).rejects.toMatchObject({ code: "approval_already_answered" });
  });

  it("shows and resumes a foreign approval as little as a missing one (R-TN-3)", async () => {
    const { engine } = setUp();
    const id = await ask(engine);
    const stranger = scopeOf(engine, { ...agent, tenant: "other" });
    expect(await stranger.approvals()).toEqual([]);
    const [foreign, missing] = [await stranger.resume(id), await stranger.resume("apr_missing")];
    expect(foreign).toMatchObject({ status: "failed", error: { code: "approval_not_found" } });
    expect(missing).toMatchObject({ status: "failed", error: { code: "approval_not_found" } });
  });
});

describe("a run without a person", () => {
  it("is denied at once, and told why", async () => {
    const { engine, approvals } = setUp();
    const result = await scopeOf(engine, { ...agent, unattended: true }).invokeNamed("pay", { euros: 5 });
    expect(result).toMatchObject({
      status: "denied",
      decision: { rule: "default.unattended", reason: expect.stringMatching(/Nobody is there to be asked/) },
    });
    expect(await approvals.list("acme")).toEqual([]);
  });
});

describe("what a tool may reach once it runs", () => {
  const command = { kind: "command", command: "make release" } as const;
  /** Runs whatever the policy lets it. */
  const execDouble: CapabilityProvider<"exec"> = {
    name: "exec",
    open: (_, site) => ({ run: async () => ({ stdout: site.judge({ ...command, workdir: null }).effect }) }) as unknown as Exec,
  };
  const release = (more: object) =>
    defineTool({
      name: "release",
      description: "Makes a release of the project.",
      input: z.object({}),
      output: z.object({ judged: z.string() }),
      effects: { exec: "run" },
      run: async (_, { exec }) => ({ judged: (await exec.run({ command: command.command })).stdout }),
      ...more,
    }) as AnyTool;
  const machine = () => ({ sandbox: { available: true, detail: "test" } });

  async function approveAndRun(tool: AnyTool): Promise<unknown> {
    const engine = createEngine({ tools: [tool], capabilities: [execDouble], machine, sessions: sharedSessions() });
    const pending = await scopeOf(engine).invokeNamed("release", {});
    if (pending.status !== "pending") throw new Error(JSON.stringify(pending));
    await scopeOf(engine, person).answer(pending.approval.id, { kind: "approve" });
    const result = await scopeOf(engine).resume(pending.approval.id);
    return result.status === "done" ? result.output : result;
  }

  it("is what it named before, once that was approved", async () => {
    expect(await approveAndRun(release({ reaches: () => [command] }))).toEqual({ judged: "allow" });
  });

  it("is what the policy asks about, when it named nothing and was approved as a whole", async () => {
    expect(await approveAndRun(release({}))).toEqual({ judged: "allow" });
  });

  it("is not what it kept to itself, when it named something else", async () => {
    const other = { kind: "command", command: "make test" };
    expect(await approveAndRun(release({ reaches: () => [other] }))).toEqual({ judged: "ask" });
  });
});
