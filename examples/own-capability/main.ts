import assert from "node:assert/strict";
import { type Capability, type CapabilityProvider, createEngine, defineTool } from "@toolwright/engine";
import { z } from "zod";

// #region declare
interface ReadStock {
  count(item: string): number;
}
interface Stock extends ReadStock {
  take(item: string): void;
}
declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    stock: Capability<"read", ReadStock> | Capability<"write", Stock>;
  }
}
// #endregion

// #region provide
const shelves = new Map([["bolt", 3]]);
const stock: CapabilityProvider<"stock"> = {
  name: "stock",
  weigh: (level) => ({ changes: level === "write", openWorld: false }),
  open(level): Stock {
    return {
      count: (item) => shelves.get(item) ?? 0,
      take(item) {
        if (level !== "write") throw new Error("This tool may only read the stock.");
        shelves.set(item, (shelves.get(item) ?? 0) - 1);
      },
    };
  },
};
// #endregion

const stockCount = defineTool({
  name: "stock_count",
  description: "Say how many pieces of one item are in stock. To take one use stock_take.",
  input: z.object({ item: z.string().describe("Name of the item") }),
  output: z.object({ count: z.int() }),
  effects: { stock: "read" },
  run: ({ item }, ctx) => ({ count: ctx.stock.count(item) }),
});
const stockTake = defineTool({
  name: "stock_take",
  description: "Take one piece of an item out of the stock. Look with stock_count first.",
  input: z.object({ item: z.string().describe("Name of the item") }),
  output: z.object({ count: z.int() }),
  effects: { stock: "write" },
  run({ item }, ctx) {
    ctx.stock.take(item);
    return { count: ctx.stock.count(item) };
  },
});

const engine = createEngine({ tools: [stockCount, stockTake], capabilities: [stock] });
const scope = engine.scope({ tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest" }, { session: "s1" });

const taken = await scope.invoke("stock_take", { item: "bolt" });
assert.ok(taken.status === "done", JSON.stringify(taken));
assert.deepEqual(taken.output, { count: 2 });
const counted = await scope.invoke("stock_count", { item: "bolt" });
assert.ok(counted.status === "done");
assert.deepEqual(counted.output, { count: 2 });

// The hints that clients read come from the effects.
assert.equal(scope.find("stock_count")?.hints.readOnlyHint, true);
assert.equal(scope.find("stock_take")?.hints.readOnlyHint, false);

await engine.close();
console.log("own-capability: a tool got exactly what it declared.");
