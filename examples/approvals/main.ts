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

const engine = createEngine({ tools: [sendInvoice] });
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
await engine.close();
console.log("approvals: asked, approved by a person, sent once.");
