// An assistant looks things up in documents, with citations, and remembers in another conversation what it was told.
import assert from "node:assert/strict";
import { createEngine } from "@toolwright/engine";
import {
  createMemoryForeignMarks,
  createMemoryKnowledge,
  createMemoryMemories,
  createRandomIds,
  silentLogger,
  systemClock,
} from "@toolwright/engine/ports";
import { filesCapability, httpCapability } from "@toolwright/sandbox";
import { builtinPermissions, knowledgeCapability, knowledgeTools, memoryCapability, memoryTools } from "@toolwright/tools";

// #region engine
const foreign = createMemoryForeignMarks();
const site = { foreign, clock: systemClock, ids: createRandomIds(), logger: silentLogger };
const engine = createEngine({
  tools: [...knowledgeTools, ...memoryTools],
  capabilities: [
    filesCapability({ workspaceOf: () => process.cwd() }),
    knowledgeCapability({ ...site, store: createMemoryKnowledge(), http: httpCapability() }),
    memoryCapability({ ...site, store: createMemoryMemories() }),
  ],
  policy: "full",
  foreign,
});
// #endregion
const assistant = { tenant: "acme", actor: { kind: "agent", id: "assistant" }, permissions: builtinPermissions } as const;
const scope = engine.scope(assistant, { session: "monday" });

// #region knowledge
const added = await scope.invoke("knowledge_write", { text: "# Opening hours\n\nThe shop opens at nine.", collection: "handbook" });
const found = await scope.invoke("knowledge_search", { query: "When does the shop open?", collection: "handbook" });
if (found.status !== "done") throw new Error(`The search ended as ${found.status}.`);
for (const { citation, text } of found.output.passages) console.log(`[${citation}] ${text}`);
// #endregion
assert.ok(added.status === "done" && added.output.state === "ready");
assert.equal(found.output.passages[0]?.citation, "Opening hours, lines 1-3");

// #region memory
await scope.invoke("memory_save", { content: "Deploys go out on Tuesdays.", key: "deploy-day" });

const later = engine.scope(assistant, { session: "tuesday" });
const known = await later.invoke("memory_search", { query: "When do deploys go out?" });
// #endregion
assert.ok(known.status === "done");
assert.equal(known.output.entries[0]?.content, "Deploys go out on Tuesdays.");

await engine.close();
console.log("look-up-and-remember: a passage was cited, and a memory was found in another session.");
