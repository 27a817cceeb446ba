import assert from "node:assert/strict";
import { createEngine } from "@toolwright/engine";
import { createMemoryEventLog } from "@toolwright/engine/ports";
import summarize from "./summarize.tool.ts";

// #region log
const events = createMemoryEventLog();
const engine = createEngine({ tools: [summarize], events });
// #endregion
const scope = engine.scope({ tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest" }, { session: "s1" });

const result = await scope.invoke("summarize", { text: "First line.\nThe last line says it all." });
assert.ok(result.status === "done", JSON.stringify(result));
assert.deepEqual(result.usage, { models: ["small-1"], inputTokens: 13, outputTokens: 6, cost: 0.000_014_8 });

// What the usage page adds up is in the event that ends the call.
const stored = await events.read({ tenant: "acme", session: "s1" });
assert.deepEqual(stored.at(-1)?.event.data.usage, result.usage);

await engine.close();
console.log("model-usage: a tool said what its model cost, and the log has it.");
