// A model server for examples and tests that speaks the ConverseStream operation of Amazon Bedrock, and refuses what that refuses.
import type { ServerResponse } from "node:http";
import { crc32 } from "node:zlib";
import {
  halvesOf,
  isObject,
  isToolName,
  type Refusal,
  type ScriptedAnswerTo,
  type ScriptedPart,
  type ScriptedServer,
  type ScriptedServerOptions,
  type SentAnswer,
  serveScript,
  textOfInput,
} from "./scripted-server.ts";

interface Block {
  readonly text?: string;
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input?: unknown };
  readonly toolResult?: { readonly toolUseId: string; readonly content?: readonly Block[] };
  readonly [member: string]: unknown;
}

export interface ConverseRequest {
  readonly system?: readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
  readonly toolConfig?: { readonly tools: readonly { readonly toolSpec: { readonly name: string } }[] };
}

export type ScriptedConverseAnswer = ScriptedAnswerTo<ConverseRequest>;

export function serveScriptedConverse(
  script: Iterable<ScriptedConverseAnswer>,
  options?: ScriptedServerOptions,
): Promise<ScriptedServer<ConverseRequest>> {
  return serveScript(script, { base: "", refuse, send: (outgoing, _, answer) => send(outgoing, answer) }, options);
}

const invalid = (message: string): Refusal => ({ status: 400, headers: { "x-amzn-errortype": "ValidationException" }, body: { message } });

/** In the words of the provider. */
function refuse({ messages, toolConfig }: ConverseRequest): Refusal | undefined {
  const hasCalls = messages.some(({ content }) => content.some(({ toolUse, toolResult }) => toolUse ?? toolResult));
  if (hasCalls && !toolConfig) return invalid("The toolConfig field must be defined when using toolUse and toolResult content blocks.");
  const blocks = messages.flatMap(({ content }) => content);
  const results = blocks.flatMap(({ toolResult }) => toolResult?.content ?? []);
  if ([...blocks, ...results].some(({ text }) => text?.trim() === ""))
    return invalid("The text field in the ContentBlock object is blank.");
  for (const { toolUse } of blocks) {
    if (!toolUse) continue;
    if (!isToolName(toolUse.name)) return invalid("toolUse.name failed to satisfy constraint: pattern: [a-zA-Z0-9_-]+");
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(toolUse.toolUseId)) return invalid("toolUse.toolUseId failed to satisfy constraint: [a-zA-Z0-9_-]+");
    if (!isObject(toolUse.input)) return invalid("The format of the value at toolUse.input is invalid. Provide a json object.");
  }
  for (const [index, { content }] of messages.entries()) {
    const answered = messages[index + 1]?.content.map(({ toolResult }) => toolResult?.toolUseId) ?? [];
    const missing = content.flatMap(({ toolUse }) => (toolUse && !answered.includes(toolUse.toolUseId) ? [toolUse.toolUseId] : []));
    if (missing.length > 0)
      return invalid(`Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${missing.join(", ")}`);
  }
  return undefined;
}

let count = 0;

function send(outgoing: ServerResponse, { parts, usage }: SentAnswer): void {
  outgoing.writeHead(200, { "content-type": "application/vnd.amazon.eventstream", "x-amzn-requestid": `request-${++count}` });
  const write = (type: string, payload: object) => outgoing.write(frameEvent(type, payload));
  write("messageStart", { role: "assistant" });
  for (const [contentBlockIndex, part] of parts.entries()) {
    if ("name" in part) {
      const start = { toolUse: { toolUseId: part.id ?? `tooluse_${++count}`, name: part.name } };
      write("contentBlockStart", { contentBlockIndex, start });
    }
    for (const delta of deltasOf(part)) write("contentBlockDelta", { contentBlockIndex, delta });
    write("contentBlockStop", { contentBlockIndex });
  }
  write("messageStop", { stopReason: parts.some((part) => "name" in part) ? "tool_use" : "end_turn" });
  if (usage) {
    const { input, cached, written, output } = usage;
    const tokens = { inputTokens: input - cached - written, outputTokens: output, totalTokens: input + output };
    const cache = { cacheReadInputTokens: cached, cacheWriteInputTokens: written };
    write("metadata", { usage: { ...tokens, ...cache }, metrics: { latencyMs: 1 } });
  }
  outgoing.end();
}

function deltasOf(part: ScriptedPart): readonly object[] {
  if ("text" in part) return halvesOf(part.text).map((text) => ({ text }));
  if ("name" in part) return halvesOf(textOfInput(part.input)).map((input) => ({ toolUse: { input } }));
  const thought = halvesOf(part.thought).map((text) => ({ reasoningContent: { text } }));
  return [...thought, { reasoningContent: { signature: part.seal } }];
}

/** One message of the encoding `application/vnd.amazon.eventstream`: lengths, headers and payload, each part with its checksum. */
export function frameEvent(type: string, payload: object, kind: "event" | "exception" = "event"): Buffer {
  const headers = Buffer.concat(
    Object.entries({ ":message-type": kind, [`:${kind}-type`]: type, ":content-type": "application/json" }).map(([name, value]) => {
      const size = Buffer.alloc(3);
      // 7 is the type of a text.
      size.writeUInt8(7, 0);
      size.writeUInt16BE(value.length, 1);
      return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), size, Buffer.from(value)]);
    }),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}
