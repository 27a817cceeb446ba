// Asks, restarts, resumes: the first process ends while a person is waited for, the second one answers and goes on.
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createEngine, defineTool } from "@toolwright/engine";
import { openStore } from "@toolwright/postgres";
import { z } from "zod";

const refund = defineTool({
  name: "refund",
  description: "Pay money back for an order. A refund cannot be undone.",
  input: z.object({ order: z.string().describe("Order number"), euros: z.number().describe("Amount") }),
  output: z.object({ paid: z.number() }),
  effects: { destructive: true },
  run: ({ euros }) => ({ paid: euros }),
});
const [, main = "", folder = mkdtempSync("/tmp/toolwright-restart-")] = process.argv;
const store = await openStore({ folder, process: `prc_${process.pid}`, holder: "the example" });
const engine = createEngine({ ...store, tools: [refund], policy: { ask: ["refund"] } });
const ann = engine.scope({ tenant: "default", actor: { kind: "user", id: "ann" }, interactive: true });
const [waiting] = await ann.approvals();
if (waiting) await ann.answer(waiting.record.id, { kind: "approve" });
const result = waiting ? await ann.resume(waiting.record.id) : await ann.invoke("refund", { order: "A-1", euros: 40 });
console.log(`restart: process ${process.pid} ends, and the call is ${result.status}.`);
await Promise.all([engine.close(), store.close()]);
if (result.status === "pending") spawnSync(process.execPath, [...process.execArgv, main, folder], { stdio: "inherit" });
