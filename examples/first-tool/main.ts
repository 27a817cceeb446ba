import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, ToolwrightError } from "@toolwright/engine";
import { filesCapability } from "@toolwright/sandbox";
import wordCount from "./word-count.tool.ts";

const workspace = await mkdtemp(join(tmpdir(), "first-tool-"));
await writeFile(join(workspace, "notes.txt"), "three short words");

// #region embed
const engine = createEngine({
  tools: [wordCount],
  capabilities: [filesCapability({ workspaceOf: () => workspace })],
});
const scope = engine.scope({ tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest" }, { session: "s1" });
const result = await scope.invoke("word_count", { path: "notes.txt" });
// #endregion

assert.equal(result.status, "done");
assert.deepEqual(result.output, { words: 3 });

// The handler cannot leave the workspace, whatever the model asks for.
const outside = await scope.invoke("word_count", { path: "../../etc/passwd" });
assert.ok(outside.status === "failed" && outside.error.code === "path_refused");

let problem = "";
// #region error
try {
  createEngine({ tools: [wordCount] });
} catch (error) {
  if (!ToolwrightError.is(error)) throw error;
  problem = `${error.code}: ${error.message}`;
}
// #endregion
assert.match(problem, /^definition_invalid: word_count declares effects\.files, .* Add filesCapability/);

await engine.close();
await rm(workspace, { recursive: true });
console.log("first-tool: 3 words counted, and nothing read outside the workspace.");
