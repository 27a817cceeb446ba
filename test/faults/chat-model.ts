import { setTimeout as sleep } from "node:timers/promises";
import { type ModelRequest, type ScriptedAnswer, type ScriptedModel, serveScriptedModel } from "../../examples/scripted-model.ts";

/** What each answer of a chat calls, before the last one, which is text. */
const calls: readonly (readonly { readonly tool: string; readonly line: number }[])[] = [
  [{ tool: "mark", line: 1 }],
  [
    { tool: "mark", line: 2 },
    { tool: "mark", line: 3 },
  ],
  [{ tool: "pay", line: 4 }],
  [{ tool: "mark", line: 5 }],
];

export interface ChatModel extends Pick<ScriptedModel, "url" | "close"> {
  /** Names of the answers that were begun, in order, by chat and step: `chat_1 0`. */
  readonly asked: ReadonlyMap<string, readonly string[]>;
}

/**
 * A model whose answer follows from the request alone, and has a name of its own: by the name it is known which of several answers to one request
 * was stored. It takes its time, in the middle of an answer, too.
 */
export async function serveChatModel(random: () => number): Promise<ChatModel> {
  const asked = new Map<string, string[]>();
  let count = 0;
  const answer: ScriptedAnswer = async (outgoing, request) => {
    const { chat, step } = placeOf(request);
    count += 1;
    const name = `n${count}`;
    asked.set(`${chat} ${step}`, [...(asked.get(`${chat} ${step}`) ?? []), name]);
    const write = (choice: object) => {
      const chunk = { id: name, object: "chat.completion.chunk", created: 0, model: request.model, choices: [{ index: 0, ...choice }] };
      outgoing.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    await sleep(60 * random());
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    write({ delta: { role: "assistant", content: `${name} says ` } });
    await sleep(60 * random());
    const made = calls[step];
    write({
      delta: made ? { tool_calls: made.map((call, index) => toCall(call, { chat, name, index })) } : { content: "that all is done." },
    });
    write({ delta: {}, finish_reason: made ? "tool_calls" : "stop" });
    outgoing.end("data: [DONE]\n\n");
  };
  const { url, close } = await serveScriptedModel(forEver(answer));
  return { url, close, asked };
}

function* forEver(answer: ScriptedAnswer): Generator<ScriptedAnswer> {
  for (;;) yield answer;
}

/** Which chat it is, and which of its answers is wanted. */
function placeOf({ messages }: ModelRequest): { readonly chat: string; readonly step: number } {
  const said = messages.findLastIndex(({ role }) => role === "user");
  return { chat: String(messages[said]?.content), step: messages.slice(said).filter(({ role }) => role === "assistant").length };
}

interface Made {
  readonly chat: string;
  readonly name: string;
  readonly index: number;
}

function toCall({ tool, line }: { readonly tool: string; readonly line: number }, { chat, name, index }: Made) {
  return {
    ...{ index, id: `${name}_${index}`, type: "function" },
    function: { name: tool, arguments: JSON.stringify({ key: `${chat}/${line}` }) },
  };
}
