import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { ANSWER_APPROVALS } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import { parsePolicyDocument } from "../policy/document/policy-document.ts";
import type { Caution } from "../ports/capability.ts";
import { sharedSessions } from "../testing/shared-sessions.ts";
import { defineTool } from "../tool/define-tool.ts";

const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, permissions: [], door: "mcp" };
const ann: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: [ANSWER_APPROVALS],
  door: "cli",
  interactive: true,
};
const warned: Caution = { rule: "default.test", reason: "It names a program.", subject: "filter = x", remedy: "Look at it." };

function setUp({ policy = {}, principal = agent }: { policy?: object; principal?: Principal } = {}) {
  const state = { cautions: [warned] as readonly Caution[], fails: false };
  const run = vi.fn(async () => ({ ran: true }));
  const build = defineTool({
    name: "build",
    description: "Builds.",
    input: z.object({ command: z.string() }),
    output: z.object({ ran: z.boolean() }),
    effects: { exec: "run" },
    reaches: ({ command }) => [{ kind: "command", command }],
    run,
  });
  const caution = vi.fn(async () => {
    if (state.fails) throw new Error("no disk");
    return state.cautions;
  });
  const document = parsePolicyDocument({ version: 1, commands: { rules: [{ pattern: "make all", effect: "ask" }] }, ...policy });
  const engine = createEngine({
    tools: [build],
    sessions: sharedSessions({ ids: ["s"] }),
    policy: [{ tier: "platform", document }],
    capabilities: [{ name: "exec", open: () => ({}) as never, caution }],
    machine: () => ({ sandbox: { available: true, detail: "test" } }),
  });
  const scope = engine.scope(principal, { session: "s" });
  const person = engine.scope(ann, { session: "s" });
  const call = (command = "ls") => scope.invoke("build", { command });
  const ask = async (command?: string) => {
    const result = await call(command);
    if (result.status !== "pending") throw new Error(JSON.stringify(result));
    return result.approval;
  };
  return { state, run, caution, scope, person, call, ask };
}

describe("what a machine cautions against (R-GT-6)", () => {
  it("makes a call ask that the policy allows, with its own words", async () => {
    const { call, run } = setUp();
    expect(await call()).toMatchObject({
      status: "pending",
      approval: { reason: warned.reason },
      decision: { rule: warned.rule, remedy: warned.remedy, findings: [{ subject: warned.subject, grantable: false }, {}, {}] },
    });
    expect(run).not.toHaveBeenCalled();
  });

  it("lets the call run when there is nothing against it", async () => {
    const { state, call } = setUp();
    state.cautions = [];
    expect(await call()).toMatchObject({ status: "done" });
  });

  it("is not asked about a call that the policy denies", async () => {
    const { call, caution } = setUp({ policy: { commands: { mode: "deny" } } });
    expect(await call()).toMatchObject({ status: "denied" });
    expect(caution).not.toHaveBeenCalled();
  });

  it("asks when it cannot be found out", async () => {
    const { state, call } = setUp();
    state.fails = true;
    expect(await call()).toMatchObject({ status: "pending", decision: { rule: "default.caution.unknown" } });
  });

  it("denies where nobody is there to be asked", async () => {
    const { call, run } = setUp({ principal: { ...agent, unattended: true } });
    expect(await call()).toMatchObject({ status: "denied", decision: { rule: "default.unattended" } });
    expect(run).not.toHaveBeenCalled();
  });

  it("is said of a call that asks anyway, and no earlier yes stands for it", async () => {
    const { state, ask, person, call, run } = setUp();
    state.cautions = [];
    const first = await ask("make all");
    await person.answer(first.id, { kind: "approve", remember: { scope: "session" } });
    expect(await call("make all")).toMatchObject({ status: "done" });
    state.cautions = [warned];
    expect(await call("make all")).toMatchObject({ status: "pending", decision: { rule: warned.rule } });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("cannot be remembered", async () => {
    const { ask, person } = setUp();
    const { id } = await ask();
    await expect(person.answer(id, { kind: "approve", remember: { scope: "session" } })).rejects.toMatchObject({ code: "grant_refused" });
  });

  it("runs once a person said yes, and not when it is another caution by then", async () => {
    const { state, ask, person, scope, run } = setUp();
    const approved = await ask();
    await person.answer(approved.id, { kind: "approve" });
    expect(await scope.resume(approved.id)).toMatchObject({ status: "done" });
    const changed = await ask();
    await person.answer(changed.id, { kind: "approve" });
    state.cautions = [{ ...warned, subject: "filter = y" }];
    expect(await scope.resume(changed.id)).toMatchObject({ status: "failed", error: { code: "approval_void" } });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("demands what the policy demands of an approval", async () => {
    const { call } = setUp({ policy: { approvals: { quorum: [{ approvers: 2 }] } } });
    const result = await call();
    expect(result).toMatchObject({ status: "pending" });
    expect(JSON.stringify(result)).toContain('"approvers":2');
  });
});
