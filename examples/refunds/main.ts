// A shop's own program: an agent looks up orders by itself, and a person approves each refund.
import assert from "node:assert/strict";
import { type CallResult, createEngine, defineTool } from "@toolwright/engine";
import { z } from "zod";

// #region tools
const orderTotal = defineTool({
  name: "order_total",
  description: "Look up what a customer paid for an order. Use it before you refund anything.",
  input: z.object({ order: z.string().describe("Order number, e.g. 1042") }),
  output: z.object({ euros: z.number() }),
  run: ({ order }) => ({ euros: order === "1042" ? 40 : 0 }),
});
const refund = defineTool({
  name: "refund",
  description: "Pay money back for an order. A refund cannot be undone.",
  input: z.object({ order: z.string().describe("Order number"), euros: z.number().positive().describe("Amount") }),
  output: z.object({ paid: z.number() }),
  effects: { destructive: true },
  ask: ({ order, euros }, say) => say`Pay ${euros} euros back for the order ${order}?`,
  run: ({ euros }) => ({ paid: euros }),
});
// #endregion

// #region engine
const inbox: string[] = [];
const engine = createEngine({
  tools: [orderTotal, refund],
  policy: { ask: ["refund"] },
  onApproval: ({ id, summary }) => inbox.push(`${id}: ${summary}`),
});
// #endregion

// #region invoke
const scope = engine.scope({ tenant: "shop", actor: { kind: "agent", id: "support" } }, { session: "chat-17" });
const found = await scope.invoke("order_total", { order: "1042" });
if (found.status !== "done") throw new Error(`The order could not be looked up: ${found.status}`);
const asked = await scope.invoke("refund", { order: "1042", euros: found.output.euros });
// #endregion

// #region answer
assert.equal(asked.status, "pending");
const desk = engine.scope({ tenant: "shop", actor: { kind: "user", id: "ann" }, permissions: ["approvals:answer"], interactive: true });
await desk.answer(asked.approval.id, { kind: "approve" });
const done = await scope.resume(asked.approval.id);
// #endregion

// #region result
function describe(result: CallResult): string {
  switch (result.status) {
    case "done":
      return `Done: ${JSON.stringify(result.output)}`;
    case "pending":
      return `A person is asked: ${result.approval.summary}`;
    case "denied":
      return result.message ?? `The policy denies it: ${result.decision.rule}`;
    case "cancelled":
      return `Cancelled: ${result.reason}`;
    case "failed":
    case "unknown":
      return `${result.error.code}: ${result.error.message}`;
  }
}
// #endregion
assert.equal(describe(asked), "A person is asked: Pay 40 euros back for the order 1042?");
assert.equal(describe(done), 'Done: {"paid":40}');

assert.ok(done.status === "done");
assert.deepEqual(done.output, { paid: 40 });
assert.equal(inbox.length, 1);

await engine.close();
console.log(`refunds: ${inbox.length} approval asked for, 40 euros paid back once.`);
