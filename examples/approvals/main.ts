import assert from "node:assert/strict";
import { createEngine, defineTool, type Principal } from "@toolwright/engine";
import { z } from "zod";

const sent: string[] = [];

// #region tool
const sendInvoice = defineTool({
  name: "send_invoice",
  description: "Send one invoice to a customer. Draft it with the person first: a sent invoice cannot be called back.",
  input: z.object({ customer: z.string().describe("Customer number"), euros: z.number().positive().describe("Amount") }),
  output: z.object({ sent: z.boolean() }),
  effects: { destructive: true },
  approval: "always_ask",
  run({ customer, euros }) {
    sent.push(`${customer}: ${euros}`);
    return { sent: true };
  },
});
// #endregion

const publishReport = defineTool({
  name: "publish_report",
  description: "Publish a report for everyone to read. A published report cannot be called back.",
  input: z.object({ month: z.string().describe("Month, 2026-07") }),
  output: z.object({ published: z.string() }),
  effects: { destructive: true },
  run: ({ month }) => ({ published: month }),
});

const engine = createEngine({ tools: [sendInvoice, publishReport] });
const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "billing" }, permissions: [], door: "ai-sdk" };
const person: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: ["approvals:answer"],
  door: "rest",
  interactive: true,
};

// #region ask
const asAgent = engine.scope(agent, { session: "s1" });
const asked = await asAgent.invoke("send_invoice", { customer: "C-17", euros: 250 });
assert.equal(asked.status, "pending");

const inbox = engine.scope(person, { session: "inbox" });
const [waiting] = await inbox.approvals();
assert.equal(waiting?.record.id, asked.approval.id);
await inbox.answer(asked.approval.id, { kind: "approve" });

const done = await asAgent.resume(asked.approval.id);
assert.equal(done.status, "done");
// #endregion

// Each approval runs once, and an agent cannot answer its own.
const again = await asAgent.resume(asked.approval.id);
assert.ok(again.status === "failed" && again.error.code === "approval_used");
const second = await asAgent.invoke("send_invoice", { customer: "C-18", euros: 1 });
assert.equal(second.status, "pending");
await assert.rejects(asAgent.answer(second.approval.id, { kind: "approve" }), { code: "approval_not_allowed" });

assert.deepEqual(sent, ["C-17: 250"]);

// #region remember
const first = await asAgent.invoke("publish_report", { month: "2026-07" });
assert.equal(first.status, "pending");
const proposal = await inbox.proposeGrant(first.approval.id);
assert.deepEqual(proposal.notMatches, ["any other input"]);
await inbox.answer(first.approval.id, { kind: "approve", remember: { scope: "session", forMs: 3_600_000, maxUses: 5 } });

const unasked = await asAgent.invoke("publish_report", { month: "2026-07" });
assert.ok(unasked.status === "done" && unasked.decision.rule.startsWith("grant:"));
const [grant] = await inbox.grants();
await inbox.revokeGrant(grant?.record.id ?? "");
// #endregion

// #region child
const child = asAgent.child({ agent: "reader", ceiling: { tools: ["group:fs"] }, unattended: true });
const refused = await child.invoke("publish_report", { month: "2026-07" });
assert.equal(refused.status, "denied");
// #endregion

await engine.close();
console.log("approvals: asked, approved by a person, sent once.");
