import assert from "node:assert/strict";
import { createEngine, ToolwrightError } from "@toolwright/engine";
import compareHeating from "./compare-heating.tool.ts";

const engine = createEngine({ tools: [compareHeating] });
const scope = engine.scope({ tenant: "acme", actor: { kind: "user", id: "ann" } });
const result = await scope.invoke("compare_heating", { years: 15 });
assert.ok(result.status === "done");
assert.equal(result.output.answer.cheaper, "Heat pump");

// #region register
engine.registerViewSpec("tool:compare_heating", {
  version: 1,
  blocks: [{ block: "table", title: "Systems", data: "/systems", columns: [{ name: "name" }, { name: "price", unit: "€" }] }],
});
// #endregion
assert.equal(scope.find("compare_heating")?.presentation.view?.blocks.length, 1);

let problem = "";
try {
  engine.registerViewSpec("tool:compare_heating", { version: 1, blocks: [{ block: "chart", data: "/yaers" }] });
} catch (error) {
  if (!ToolwrightError.is(error)) throw error;
  problem = error.message;
}
assert.match(problem, /\/view\/blocks\/0\/data: the output has no member "yaers"\. Did you mean "years"\?/);

await engine.close();
console.log("specs: a result is read by its view, and a view of what there is not is refused.");
