// An agent of the AI SDK asks for a refund and its process ends; a person approves it in a terminal; the next process goes on from the stored messages.
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

const said = isFirst ? await ask() : await goOn();
const [waiting] = await scope.approvals();
console.log(`ai-sdk-agent: process ${process.pid} ends, and the model ${said ? `says: ${said}` : "waits for a person."}`);
await Promise.all([engine.close(), store.close(), model.close()]);
const env = { ...process.env, DATABASE_URL: "", TOOLWRIGHT_STATE: folder };
const run = (...words: string[]) => spawnSync(process.execPath, [...process.execArgv, ...words], { env, stdio: "inherit" }).status ?? 1;
if (waiting) process.exitCode = run("packages/cli/bin/toolwright.js", "approvals", "approve", waiting.record.id) || run(main, folder);
else if (!JSON.stringify(model.requests.at(-1)).includes('\\"paid\\":40')) throw new Error("The refund was not paid.");
