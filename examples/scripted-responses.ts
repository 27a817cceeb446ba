// A model server for examples and tests that speaks the Responses API of OpenAI, and refuses what that refuses.
import type { ServerResponse } from "node:http";
import {
  halvesOf,
  type Refusal,
  type ScriptedAnswerTo,
  type ScriptedPart,
  type ScriptedServer,
  type ScriptedServerOptions,
  type ScriptedUsage,
  type SentAnswer,
  serveScript,
  textOfInput,
} from "./scripted-server.ts";

interface Item {
  readonly type?: string;
  readonly id?: string;
  readonly call_id?: string;
  readonly [member: string]: unknown;
}

export interface ResponsesRequest {
  readonly model: string;
  readonly store?: boolean;
  readonly include?: readonly string[];
  readonly prompt_cache_key?: string;
  readonly input: readonly Item[];
  readonly tools?: readonly { readonly name: string; readonly strict?: boolean; readonly [member: string]: unknown }[];
}

export type ScriptedResponsesAnswer = ScriptedAnswerTo<ResponsesRequest>;

export function serveScriptedResponses(
  script: Iterable<ScriptedResponsesAnswer>,
  options?: ScriptedServerOptions,
): Promise<ScriptedServer<ResponsesRequest>> {
  /** What came after each piece of reasoning: the call's id, or the type of the item. */
  const followers = new Map<string, string>();
  return serveScript(
    script,
    {
      base: "/v1",
      refuse: (request) => refuse(request, followers),
      send: (outgoing, request, answer) => send(outgoing, request, { ...answer, followers }),
    },
    options,
  );
}

function refuse({ input }: ResponsesRequest, followers: ReadonlyMap<string, string>): Refusal | undefined {
  const message = problemOf(input, followers);
  if (message === undefined) return undefined;
  return { status: 400, body: { error: { message, type: "invalid_request_error", param: "input", code: null } } };
}

/** In the words of the provider. */
function problemOf(input: readonly Item[], followers: ReadonlyMap<string, string>): string | undefined {
  const idsOf = (type: string) => input.flatMap((item) => (item.type === type ? [item.call_id ?? ""] : []));
  const [calls, outputs] = [idsOf("function_call"), idsOf("function_call_output")];
  const open = calls.find((id) => !outputs.includes(id));
  if (open !== undefined) return `No tool output found for function call ${open}.`;
  const stray = outputs.find((id) => !calls.includes(id));
  if (stray !== undefined) return `No tool call found for function call output with call_id ${stray}.`;
  const torn = input.find(({ type, id = "" }, index) => type === "reasoning" && followers.get(id) !== followerOf(input[index + 1]));
  return torn && `Item '${torn.id}' of type 'reasoning' was provided without its required following item.`;
}

const followerOf = (item: Item | undefined) => item?.call_id ?? (item?.role === "assistant" ? "message" : item?.type);

let count = 0;

function toItem(part: ScriptedPart): Item {
  const n = ++count;
  if ("thought" in part) {
    const summary = part.thought === "" ? [] : [{ type: "summary_text", text: part.thought }];
    return { type: "reasoning", id: `rs_${n}`, encrypted_content: part.seal, summary };
  }
  if ("text" in part)
    return { type: "message", id: `msg_${n}`, role: "assistant", content: [{ type: "output_text", text: part.text, annotations: [] }] };
  const { id = `call_${n}`, name, input } = part;
  return { type: "function_call", id: `fc_${n}`, call_id: id, name, arguments: textOfInput(input), status: "completed" };
}

type Send = SentAnswer & { readonly followers: Map<string, string> };

function send(outgoing: ServerResponse, { model }: ResponsesRequest, { parts, usage, followers }: Send): void {
  const items = parts.map(toItem);
  for (const [index, { type, id = "" }] of items.entries()) if (type === "reasoning") followers.set(id, followerOf(items[index + 1]) ?? "");
  let sequence = 0;
  const write = (type: string, data: object) =>
    outgoing.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`);
  const response = { id: `resp_${++count}`, object: "response", created_at: 0, model, output: [], usage: null };
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  write("response.created", { response: { ...response, status: "in_progress" } });
  write("response.in_progress", { response: { ...response, status: "in_progress" } });
  for (const [index, item] of items.entries()) {
    write("response.output_item.added", { output_index: index, item: emptied(item) });
    for (const { type, ...data } of piecesOf(item)) write(type, { item_id: item.id, output_index: index, ...data });
    write("response.output_item.done", { output_index: index, item });
  }
  write("response.completed", { response: { ...response, status: "completed", output: items, usage: usage && toUsage(usage) } });
  outgoing.end();
}

function emptied(item: Item): Item {
  if (item.type === "message") return { ...item, content: [] };
  return item.type === "reasoning" ? { ...item, summary: [] } : { ...item, arguments: "", status: "in_progress" };
}

interface Piece {
  readonly type: string;
  readonly [member: string]: unknown;
}

function piecesOf(item: Item): readonly Piece[] {
  if (item.type === "function_call")
    return halvesOf(String(item.arguments)).map((delta) => ({ type: "response.function_call_arguments.delta", delta }));
  if (item.type === "message") {
    const [{ text = "" } = {}] = item.content as readonly { readonly text?: string }[];
    return halvesOf(text).map((delta) => ({ type: "response.output_text.delta", content_index: 0, delta }));
  }
  const [summary] = item.summary as readonly { readonly text: string }[];
  if (!summary) return [];
  const place = { summary_index: 0 };
  return [
    { type: "response.reasoning_summary_part.added", ...place, part: { type: "summary_text", text: "" } },
    ...halvesOf(summary.text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...place, delta })),
    { type: "response.reasoning_summary_part.done", ...place, part: { type: "summary_text", text: summary.text } },
  ];
}

function toUsage({ input, cached, written, output }: ScriptedUsage) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
