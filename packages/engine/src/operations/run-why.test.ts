import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ANSWER_APPROVALS, EXPLAIN_CATALOGUE, READ_LOG } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import { createMemoryEventLog } from "../memory/event-log.ts";
import { createMemoryRunReader } from "../memory/run-reader.ts";
import { createMemorySessionReader } from "../memory/session-reader.ts";
import { parsePolicyDocument } from "../policy/document/policy-document.ts";
import { defineTool } from "../tool/define-tool.ts";

const open = defineTool({
  name: "open",
  description: "Opens the door. To look at it use see.",
  input: z.object({ note: z.string().optional() }),
  output: z.object({}),
  run: () => ({}),
});
const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };
const person = (...permissions: string[]): Principal => ({
  ...{ tenant: "acme", actor: { kind: "user", id: "ann" }, permissions, door: "form", interactive: true },
});
const tiers = (tools: object) => [{ tier: "platform" as const, document: parsePolicyDocument({ version: 1, tools }) }];
const place = { file: "policy.yaml", line: 3, column: 9 };

let events: ReturnType<typeof createMemoryEventLog>;
let engine: ReturnType<typeof createEngine>;
beforeEach(() => {
  events = createMemoryEventLog();
  engine = createEngine({
    tools: [open],
    events,
    policy: tiers({ ask: ["open"] }),
    administration: { runs: createMemoryRunReader(events), log: createMemorySessionReader(events) },
    locateRule: (rule) => (rule.startsWith("tools.") ? place : undefined),
  });
});

/** A call that was asked about, approved and done. */
async function callApproved(): Promise<string> {
  const asked = await engine.scope(agent, { session: "s1" }).invokeNamed("open", {});
  if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
  await engine.scope(person(ANSWER_APPROVALS), { session: "inbox" }).answer(asked.approval.id, { kind: "approve" });
  expect((await engine.scope(agent, { session: "s1" }).resume(asked.approval.id)).status).toBe("done");
  return asked.callId;
}

const everything = person(READ_LOG, EXPLAIN_CATALOGUE, ANSWER_APPROVALS);
const why = (id: string, principal = everything) => engine.operate(principal, "runs.why", { id });

describe("how a call was decided", () => {
  it("is told by each decision in order, with the place of a rule that still holds", async () => {
    const { decisions, revision, ...told } = await why(await callApproved());
    expect(told).toEqual({ tool: "open", input: {}, places: { "tools.ask[0]": place } });
    expect(decisions).toEqual([
      expect.objectContaining({ effect: "ask", layer: "tool", rule: "tools.ask[0]", revision, reason: expect.stringContaining("ask") }),
      expect.objectContaining({ effect: "allow", rule: "approval.approve", revision, reason: 'Approved by user "ann".' }),
    ]);
    expect(decisions[0]?.findings.map(({ effect, rule }) => [effect, rule])).toEqual([
      ["ask", "tools.ask[0]"],
      ["allow", "default.reads"],
    ]);
  });

  it("stays as it was when the policy says otherwise by now", async () => {
    const id = await callApproved();
    const before = await why(id);
    engine.setPolicy(tiers({ deny: ["open"] }));
    const after = await why(id);
    expect(after.decisions).toEqual(before.decisions);
    expect(after.revision).not.toBe(before.revision);
    expect(after).not.toHaveProperty("places");
    expect((await engine.operate(person(), "policy.why", { tool: "open" })).explanation.visible).toBe(false);
  });

  it("is told of a denial, too", async () => {
    engine.setPolicy(tiers({ ask: ["open"] }));
    const unattended = { ...agent, unattended: true };
    const { callId } = await engine.scope(unattended, { session: "s1" }).invokeNamed("open", {});
    const { decisions } = await why(callId);
    expect(decisions).toMatchObject([{ effect: "deny", rule: "default.unattended", findings: [] }]);
  });

  it("is told to its caller without places, and to nobody else without log:read", async () => {
    const id = await callApproved();
    expect(await why(id, agent)).not.toHaveProperty("places");
    await expect(why(id, person())).rejects.toMatchObject({ code: "run_not_found" });
    expect((await why(id, person(READ_LOG))).decisions[0]?.findings).toEqual([]);
  });

  it("leaves out an input of which the log holds only the beginning", async () => {
    const { callId } = await engine.scope(agent, { session: "s1" }).invokeNamed("open", { note: "x".repeat(10_000) });
    expect(await why(callId)).not.toHaveProperty("input");
  });

  it("is read of an event that holds less, as those of earlier versions", async () => {
    const about = {
      at: 5,
      session: "s0",
      tenant: "acme",
      actor: agent.actor,
      agent: "helper",
      door: "mcp",
      callId: "old",
      tool: "open",
    } as const;
    await events.append([
      { ...about, type: "tool.started", data: { effect: "allow", rule: "default.tool" } },
      { ...about, type: "tool.completed", data: { output: {} } },
    ]);
    expect((await why("old")).decisions).toEqual([{ at: 5, effect: "allow", rule: "default.tool", findings: [] }]);
  });
});
