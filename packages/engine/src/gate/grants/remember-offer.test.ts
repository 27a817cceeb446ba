import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { createEngine } from "../../engine.ts";
import { defaultPolicy } from "../../policy/document/policy-document.ts";
import type { Scope } from "../../scope-types.ts";
import { sharedSessions } from "../../testing/shared-sessions.ts";
import { type AnyTool, defineTool } from "../../tool/define-tool.ts";
import { describeOffer } from "./describe-offer.ts";

const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };
const other: Principal = { ...agent, actor: { kind: "agent", id: "other" }, agent: "other" };
const person: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: [ANSWER_APPROVALS],
  door: "cli",
  interactive: true,
};

const shell = defineTool({
  name: "shell",
  description: "Runs a command.",
  input: z.object({ command: z.string().describe("Command") }),
  output: z.object({ ok: z.boolean() }),
  effects: { exec: "run" },
  reaches: ({ command }) => [{ kind: "command", command, workdir: null }],
  run: () => ({ ok: true }),
}) as AnyTool;
const pay = defineTool({
  name: "pay",
  description: "Pays an amount of money.",
  input: z.object({}),
  output: z.object({ ok: z.boolean() }),
  approval: "always_ask",
  run: () => ({ ok: true }),
}) as AnyTool;

function setUp() {
  const engine = createEngine({
    tools: [shell, pay],
    sessions: sharedSessions(),
    capabilities: [{ name: "exec", open: () => ({}) as never }],
    machine: () => ({ sandbox: { available: true, detail: "test" } }),
  });
  const scopeOf = (principal: Principal) => engine.scope(principal, { session: "s1" });
  return { engine, scopeOf, ann: scopeOf(person) };
}

async function pendingId(scope: Scope, tool: string, input: unknown): Promise<string> {
  const result = await scope.invokeNamed(tool, input);
  if (result.status !== "pending") throw new Error(`expected pending, got ${JSON.stringify(result)}`);
  return result.approval.id;
}

describe("what a person is offered", () => {
  it("is nothing for a call whose rule would be longer than a grant may hold", async () => {
    const { ann, scopeOf } = setUp();
    const id = await pendingId(scopeOf(agent), "shell", { command: `touch ${"a".repeat(5_000)}` });
    await expect(ann.proposeGrant(id)).rejects.toThrow(/its pattern has more than 4096 characters/);
  });

  it("is every scope that they may give, with the proposal", async () => {
    const { ann, scopeOf } = setUp();
    const id = await pendingId(scopeOf(agent), "shell", { command: "npm test" });
    expect(await ann.offerRemember(id)).toEqual({
      choices: [
        { scope: "session", title: "in this session, for 12 hours" },
        { scope: "agent", title: "for agent helper in every session, for 30 days" },
        { scope: "tenant", title: "for everyone of the tenant, for 30 days" },
      ],
      proposal: await ann.proposeGrant(id),
    });
    expect(describeOffer(await ann.offerRemember(id))).toMatch(/allows +npm test\n +matches +npm test\n +but not +npm test extra\n/);
  });

  it("is nothing for others, without the permission", async () => {
    const { scopeOf } = setUp();
    const own = scopeOf({ ...person, permissions: [] });
    const { choices } = await own.offerRemember(await pendingId(own, "shell", { command: "npm test" }));
    expect(choices.map(({ scope }) => scope)).toEqual(["session", "agent"]);
  });

  it.each([
    ["an interpreter", "shell", { command: "python3 x.py" }, /python3 runs code/],
    ["a substitution", "shell", { command: "npm test $(cat x)" }, /substitutions, variables/],
    ["a wrapper that runs code", "shell", { command: "xargs sh -c x" }, /not remembered|not judged|runs code/],
    ["a tool that asks before each call", "pay", {}, /asks before each call/],
  ])("is nothing for %s, and why (R-AP-9)", async (_, tool, input, reason) => {
    const { ann, scopeOf } = setUp();
    const offer = await ann.offerRemember(await pendingId(scopeOf(agent), tool, input));
    expect(offer).toEqual({ choices: [], reason: expect.stringMatching(reason) });
    expect(describeOffer(offer)).toMatch(/cannot be remembered: .*Approve it each time/);
  });

  it("is nothing when the policy changed since: it would not be what was shown", async () => {
    const { ann, scopeOf, engine } = setUp();
    const id = await pendingId(scopeOf(agent), "shell", { command: "npm test" });
    engine.setPolicy([{ tier: "platform", document: { ...defaultPolicy, tools: { ask: ["pay"] } } }]);
    expect(await ann.offerRemember(id)).toMatchObject({ choices: [], reason: expect.stringMatching(/the policy changed/) });
    await expect(ann.answer(id, { kind: "approve", remember: { scope: "session" } })).rejects.toMatchObject({ code: "grant_refused" });
    expect(await ann.grants()).toEqual([]);
  });

  it("is told to nobody else", async () => {
    const { scopeOf } = setUp();
    const id = await pendingId(scopeOf(agent), "shell", { command: "npm test" });
    await expect(scopeOf(other).offerRemember(id)).rejects.toMatchObject({ code: "approval_not_found" });
  });
});
