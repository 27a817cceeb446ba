import assert from "node:assert/strict";
import { defineTool } from "@toolwright/engine";
import { runCases, toolConformance } from "@toolwright/engine/testing";
import { z } from "zod";

const good = defineTool({
  name: "reverse",
  description: "Reverse a text, character by character. For words in reverse order use another tool.",
  input: z.object({ text: z.string().describe("The text") }),
  output: z.object({ text: z.string() }),
  examples: [{ label: "A word", input: { text: "abc" } }],
  run: ({ text }) => ({ text: [...text].reverse().join("") }),
});
const silent = defineTool({
  name: "silent",
  description: "Does something.",
  input: z.object({ value: z.string() }),
  output: z.object({}),
  run: () => ({}),
});

// #region check
const outcomes = await runCases(
  toolConformance([
    { source: "reverse.tool.ts", definition: good },
    { source: "silent.tool.ts", definition: silent },
  ]),
);
for (const { name, status, message = "" } of outcomes) console.log(status, name, message);
// #endregion

const failed = outcomes.filter(({ status }) => status === "failed").map(({ name }) => name);
assert.deepEqual(failed, ["silent: explains itself and each member of its input"]);
assert.ok(outcomes.some(({ name, status }) => name.startsWith("reverse: example") && status === "passed"));
console.log("check-your-tools: the good tool passes, the silent one is told what it lacks.");
