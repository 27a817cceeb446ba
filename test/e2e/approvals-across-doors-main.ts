// The program of approvals-across-doors.test.ts: the AI SDK, the command line and the engine itself on one store. Each line of stdin asks for one thing,
// and each line of stdout answers the next.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { answersFor, toAISDK } from "@toolwright/doors/ai-sdk";
import type { SessionEvent } from "@toolwright/engine";
import { composeToolwright } from "@toolwright/server/compose";
import { generateText, isStepCount, type ModelMessage, type ToolModelMessage } from "ai";
import { type ScriptedAnswer, serveScriptedModel } from "../../examples/scripted-model.ts";
import { cliPrincipal } from "../../packages/cli/src/caller.ts";
import { readSettings } from "../../packages/cli/src/settings.ts";
import { createTestIo, runIn } from "../../packages/cli/test/test-io.ts";

const [, , folder = ""] = process.argv;
const { io } = createTestIo(process.cwd(), { env: process.env });
const { engine, store } = await composeToolwright(readSettings({}, io), io);
const principal = cliPrincipal(io, false);
const { tenant } = principal;
const chatOf = (version: string) => `${folder}/${version}.json`;

const does: Readonly<Record<string, (...words: string[]) => Promise<unknown>>> = {
  cli: async (...argv) => (await runIn(process.cwd(), argv, { env: process.env })).out,
  approve: (id = "") => engine.scope({ ...principal, interactive: true }, { session: "here" }).answer(id, { kind: "approve" }),
  chat: (version = "", answersHere = "") => chat(version, answersHere !== ""),
  async answers() {
    const found: SessionEvent[] = [];
    for await (const { session } of store.log.list({ tenant }))
      found.push(...(await store.log.page({ tenant, session })).map(({ event }) => event));
    return found.filter(({ data }) => data.operation === "approvals.answer");
  },
};

/** Asks, and in the next life of this program goes on from the stored messages, with the answers of other doors or a yes that was given here. */
async function chat(version: string, answersHere: boolean): Promise<readonly ModelMessage[]> {
  const file = chatOf(version);
  const session = { session: `chat ${version}` };
  const scope = engine.scope({ ...principal, door: "ai-sdk" }, session);
  const answerAs = answersHere ? engine.scope({ ...principal, door: "ai-sdk", interactive: true }, session) : undefined;
  const asked: ModelMessage[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  const answers = answersHere ? yesTo(asked) : await answersFor(asked, scope);
  const next: ModelMessage = asked.length === 0 ? { role: "user", content: "Release it." } : { role: "tool", content: answers };
  const script: ScriptedAnswer[] = asked.length === 0 ? [[{ name: "release", input: { version } }]] : ["Released."];
  const model = await serveScriptedModel(script);
  const { responseMessages } = await generateText({
    model: createOpenAICompatible({ name: "scripted", baseURL: model.url })("model-1"),
    ...toAISDK(scope, { ...(answerAs && { answerAs }) }),
    messages: [...asked, next],
    stopWhen: isStepCount(2),
  });
  await model.close();
  writeFileSync(file, JSON.stringify([...asked, next, ...responseMessages]));
  return responseMessages;
}

/** What a program puts beside the messages when its person says yes. */
function yesTo(messages: readonly ModelMessage[]): ToolModelMessage["content"] {
  const parts = messages.flatMap(({ role, content }) => (role === "assistant" && typeof content !== "string" ? content : []));
  return parts.flatMap((part) =>
    part.type === "tool-approval-request" ? [{ type: "tool-approval-response" as const, approvalId: part.approvalId, approved: true }] : [],
  );
}

for await (const line of createInterface({ input: process.stdin })) {
  const [what, ...words] = JSON.parse(line) as readonly [string, ...string[]];
  process.stdout.write(`${JSON.stringify((await does[what]?.(...words)) ?? null)}\n`);
}
process.exit();
