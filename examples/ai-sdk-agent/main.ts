// An agent of the AI SDK asks for a refund and its process ends; the next process goes on from the stored messages, and the refund is paid once.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { answersFor, toAISDK } from "@toolwright/doors/ai-sdk";
import { createEngine, defineTool } from "@toolwright/engine";
import { openStore } from "@toolwright/postgres";
import { type ModelMessage, ToolLoopAgent } from "ai";
import { z } from "zod";
import { serveScriptedModel } from "../scripted-model.ts";

const refund = defineTool({
  name: "refund",
  description: "Pay money back for an order. A refund cannot be undone.",
  input: z.object({ order: z.string().describe("Order number"), euros: z.number().describe("Amount") }),
  output: z.object({ paid: z.number() }),
  effects: { destructive: true },
  run: ({ euros }) => ({ paid: euros }),
});
const [, main = "", folder = mkdtempSync("/tmp/toolwright-agent-")] = process.argv;
const chat = `${folder}/chat.json`;
const isFirst = !existsSync(chat);
const script = isFirst ? [[{ name: "refund", input: { order: "A-1", euros: "40" } }]] : ["Order A-1 is refunded."];
const model = await serveScriptedModel(script);
const provider = createOpenAICompatible({ name: "scripted", baseURL: model.url });

// #region agent
const store = await openStore({ folder: `${folder}/store`, process: `prc_${process.pid}`, holder: "the example" });
const engine = createEngine({ ...store, tools: [refund], policy: { ask: ["refund"] } });
const support = { tenant: "default", actor: { kind: "agent", id: "support" }, onBehalfOf: "ann", door: "ai-sdk" } as const;
const scope = engine.scope(support, { session: "chat-17" });
const agent = new ToolLoopAgent({ model: provider("model-1"), ...toAISDK(scope) });
// #endregion

// #region ask
async function ask(): Promise<void> {
  const messages: ModelMessage[] = [{ role: "user", content: "Refund order A-1, 40 euros." }];
  const { responseMessages } = await agent.generate({ messages });
  writeFileSync(chat, JSON.stringify([...messages, ...responseMessages]));
}
// #endregion

// #region go-on
async function goOn(): Promise<string> {
  const messages: ModelMessage[] = JSON.parse(readFileSync(chat, "utf8"));
  const content = await answersFor(messages, scope);
  const { text } = await agent.generate({ messages: [...messages, { role: "tool", content }] });
  return text;
}
// #endregion

const ann = engine.scope({ tenant: "default", actor: { kind: "user", id: "ann" }, interactive: true });
for (const { record } of await ann.approvals()) await ann.answer(record.id, { kind: "approve" });
const said = isFirst ? await ask() : await goOn();
console.log(`ai-sdk-agent: process ${process.pid} ends, and the model ${said ? `says: ${said}` : "waits for a person."}`);
await Promise.all([engine.close(), store.close(), model.close()]);
if (isFirst) process.exitCode = spawnSync(process.execPath, [...process.execArgv, main, folder], { stdio: "inherit" }).status ?? 1;
else if (!JSON.stringify(model.requests.at(-1)).includes('\\"paid\\":40')) throw new Error("The refund was not paid.");
