// The program of ai-sdk-restart.test.ts: its first life ends by a kill while a person is asked, its second goes on twice.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { answersFor, toAISDK } from "@toolwright/doors/ai-sdk";
import { createEngine, defineTool } from "@toolwright/engine";
import { openStore } from "@toolwright/postgres";
import { generateText, isStepCount, type ModelMessage } from "ai";
import { z } from "zod";
import { serveScriptedModel } from "../../examples/scripted-model.ts";

const [, , folder = ""] = process.argv;
const chat = `${folder}/chat.json`;
const refund = defineTool({
  name: "refund",
  description: "Pay money back for an order.",
  input: z.object({ order: z.string().describe("Order"), euros: z.number().describe("Amount") }),
  output: z.object({ paid: z.number() }),
  effects: { destructive: true },
  run({ order, euros }) {
    appendFileSync(`${folder}/paid.txt`, `${order}: ${euros}\n`);
    return { paid: euros };
  },
});
const cache = `${process.env.TOOLWRIGHT_TEST_CACHE}/toolwright`;
const store = await openStore({ folder: `${folder}/store`, cache, process: `prc_${process.pid}`, holder: "a test" });
const engine = createEngine({ ...store, tools: [refund], policy: { ask: ["refund"] } });
const scope = engine.scope(
  { tenant: "default", actor: { kind: "agent", id: "support" }, onBehalfOf: "ann", door: "ai-sdk" },
  { session: "chat-17" },
);
const first = [{ name: "refund", input: { order: "A-1", euros: 40 } }];
const model = await serveScriptedModel(existsSync(chat) ? ["Paid.", "Paid before.", "Refused."] : [first]);
const provider = createOpenAICompatible({ name: "scripted", baseURL: model.url });
const generate = (messages: ModelMessage[]) =>
  generateText({ model: provider("model-1"), ...toAISDK(scope), messages, stopWhen: isStepCount(3) });

if (!existsSync(chat)) {
  const messages: ModelMessage[] = [{ role: "user", content: "Refund order A-1." }];
  const { responseMessages } = await generate(messages);
  writeFileSync(chat, JSON.stringify([...messages, ...responseMessages]));
  process.kill(process.pid, "SIGKILL");
}
const text = readFileSync(chat, "utf8");
const ann = engine.scope({ tenant: "default", actor: { kind: "user", id: "ann" }, interactive: true });
for (const { record } of await ann.approvals()) await ann.answer(record.id, { kind: "approve" });
const content = await answersFor(JSON.parse(text), scope);
const goOn = async (stored: string) => generate([...JSON.parse(stored), { role: "tool", content }]);
const said = [(await goOn(text)).text, (await goOn(text)).text];
await goOn(text.replace("A-1", "A-2").replace('"A-1"', '"A-2"'));
const refused = model.requests.at(-1)?.messages.find(({ role }) => role === "tool")?.content;
writeFileSync(`${folder}/said.json`, JSON.stringify([...said, refused]));
await Promise.all([engine.close(), store.close(), model.close()]);
