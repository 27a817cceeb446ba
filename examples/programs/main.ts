// A program that calls tools: it counts many answers, one of its calls waits for a person, and each call runs once.
import assert from "node:assert/strict";
import { createEngine, defineTool } from "@toolwright/engine";
import { systemClock } from "@toolwright/engine/ports";
import { codeCapability, codeTools } from "@toolwright/tools";
import { z } from "zod";

const ran: string[] = [];

const orderRead = defineTool({
  name: "order_read",
  description: "Read an order.",
  input: z.object({ order: z.int().describe("Number of the order") }),
  output: z.object({ order: z.int(), euros: z.number(), late: z.boolean() }),
  run({ order }) {
    ran.push(`order_read ${order}`);
    return { order, euros: order * 10, late: order % 4 === 0 };
  },
});
const refund = defineTool({
  name: "refund",
  description: "Refund an order.",
  input: z.object({ order: z.int().describe("Number of the order"), euros: z.number().describe("What to pay back") }),
  output: z.object({ paid: z.number() }),
  effects: { destructive: true },
  approval: "always_ask",
  run({ order, euros }) {
    ran.push(`refund ${order}`);
    return { paid: euros };
  },
});

// #region engine
const engine = createEngine({
  tools: [orderRead, refund, ...codeTools],
  capabilities: [codeCapability({ clock: systemClock })],
  policy: [{ tier: "platform", document: { version: 1, autonomy: "full" } }],
});
// #endregion

// #region program
const program = `
  const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
  const orders = await Promise.all(numbers.map((order) => tools.order_read({ order })));
  const late = orders.filter((order) => order.late);
  console.log(late.length + " of " + orders.length + " orders are late");

  const [dearest] = late.sort((a, b) => b.euros - a.euros);
  try {
    const { paid } = await tools.refund({ order: dearest.order, euros: dearest.euros });
    return { order: dearest.order, paid };
  } catch (error) {
    return { order: dearest.order, refused: error.code };
  }`;
// #endregion

// #region run
const permissions = ["code.tenant.run"];
const agent = engine.scope(
  { tenant: "shop", actor: { kind: "agent", id: "support" }, onBehalfOf: "ann", permissions },
  { session: "chat-17" },
);
const asked = await agent.invoke("code_run", { program });
assert.equal(asked.status, "pending");
assert.equal(ran.length, 12);

const ann = engine.scope({ tenant: "shop", actor: { kind: "user", id: "ann" }, interactive: true });
await ann.answer(asked.approval.id, { kind: "approve" });
const done = await ann.resume(asked.approval.id);
assert.equal(done.status, "done");
assert.deepEqual(done.output, {
  result: '{"order":12,"paid":120}',
  logs: ["3 of 12 orders are late"],
  calls: [
    { tool: "order_read", done: 12, notDone: 0 },
    { tool: "refund", done: 1, notDone: 0 },
  ],
});
assert.equal(ran.length, 13);
// #endregion

await engine.close();
console.log(`programs: ${ran.length} calls of one program, each once, and the refund after a person said yes.`);
