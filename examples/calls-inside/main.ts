// A tool that calls other tools: one of its steps waits for a person, and each step runs once.
import assert from "node:assert/strict";
import { createEngine, defineTool } from "@toolwright/engine";
import { z } from "zod";

const order = z.object({ order: z.string().describe("Order number, e.g. A-1") });
const ran: string[] = [];

const reserve = defineTool({
  name: "reserve",
  description: "Reserve the goods of an order.",
  input: order,
  output: z.object({ reserved: z.boolean() }),
  effects: { destructive: false },
  run: () => ({ reserved: ran.push("reserve") > 0 }),
});
const charge = defineTool({
  name: "charge",
  description: "Charge the card of a customer.",
  input: order,
  output: z.object({ euros: z.number() }),
  effects: { destructive: true },
  approval: "always_ask",
  run: () => ({ euros: ran.push("charge") > 0 ? 40 : 0 }),
});
const notify = defineTool({
  name: "notify",
  description: "Tell the customer how an order stands.",
  input: order.extend({ text: z.string().describe("What the customer reads") }),
  output: z.object({ sent: z.boolean() }),
  effects: { destructive: false },
  run: () => ({ sent: ran.push("notify") > 0 }),
});

// #region tool
const fulfil = defineTool({
  name: "fulfil",
  description: "Reserve the goods of an order, charge the customer, and tell them.",
  input: order,
  output: z.object({ paid: z.boolean() }),
  effects: { tools: ["reserve", "charge", "notify"] },
  async run({ order }, { tools }) {
    await tools.call("reserve", { order });
    const charged = await tools.call("charge", { order });
    const paid = charged.status === "done";
    await tools.call("notify", { order, text: paid ? "It is on its way." : "We could not charge your card." });
    return { paid };
  },
});
// #endregion

const engine = createEngine({
  tools: [reserve, charge, notify, fulfil],
  policy: [{ tier: "platform", document: { version: 1, autonomy: "full" } }],
});

// #region call
const agent = engine.scope({ tenant: "shop", actor: { kind: "agent", id: "support" }, onBehalfOf: "ann" }, { session: "chat-17" });
const asked = await agent.invoke("fulfil", { order: "A-1" });
assert.equal(asked.status, "pending");
assert.deepEqual(ran, ["reserve"]);

const ann = engine.scope({ tenant: "shop", actor: { kind: "user", id: "ann" }, interactive: true });
await ann.answer(asked.approval.id, { kind: "approve" });
const done = await ann.resume(asked.approval.id);
assert.equal(done.status, "done");
assert.deepEqual(ran, ["reserve", "charge", "notify"]);
// #endregion

await engine.close();
console.log(`calls-inside: ${ran.join(", ")}; each once, and charge after a person said yes.`);
