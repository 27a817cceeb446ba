import type {
  JSONObject,
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { isPlainObject, wellFormed } from "@toolwright/engine/ports";

/**
 * Writes a request in the form that every provider takes, whatever a model, a tool or a person wrote: well-formed text, calls with an object as
 * input and with a name and an id of plain characters, results that say in their text that they are errors. The conversation stays as it came. The
 * same conversation gives the same bytes.
 */
export function fitRequest(request: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { prompt, tools } = request;
  return { ...request, prompt: fitPrompt(prompt), ...(tools && { tools: tools.map(fitTool) }) };
}

function fitPrompt(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const ids = new CallIds();
  return prompt.map((message) => wellFormed(fitMessage(message, ids)));
}

function fitMessage(message: LanguageModelV4Message, ids: CallIds): LanguageModelV4Message {
  if (message.role === "assistant")
    return { ...message, content: message.content.map((part) => (part.type === "tool-call" ? fitCall(part, ids) : part)) };
  if (message.role !== "tool") return message;
  return { ...message, content: message.content.map((part) => (part.type === "tool-result" ? fitResult(part, ids) : part)) };
}

function fitCall(part: LanguageModelV4ToolCallPart, ids: CallIds): LanguageModelV4ToolCallPart {
  return { ...part, toolCallId: ids.begin(part.toolCallId), toolName: fitName(part.toolName), input: fitInput(part.input) };
}

function fitResult(part: LanguageModelV4ToolResultPart, ids: CallIds): LanguageModelV4ToolResultPart {
  return { ...part, toolCallId: ids.of(part.toolCallId), toolName: fitName(part.toolName), output: fitOutput(part.output) };
}

const longestName = 64;

/** The characters that the names of tools and the ids of calls may have at every provider. */
const plain = (text: string) => text.replace(/[^a-zA-Z0-9_-]/g, "_");

function fitName(name: string): string {
  return plain(name).slice(0, longestName) || "unnamed";
}

/** OpenAI's Chat Completions takes no longer one. */
const longestId = 40;

/** Ids of calls as requests hold them: each once in a conversation, also where two answers of a model repeat one. */
class CallIds {
  readonly #taken = new Set<string>();
  readonly #times = new Map<string, number>();
  readonly #current = new Map<string, string>();

  /** The id of a call, and of the result that follows it. */
  begin(id: string): string {
    const base = plain(id).slice(0, longestId) || "call";
    const fitted = this.#free(base);
    this.#taken.add(fitted);
    this.#current.set(id, fitted);
    return fitted;
  }

  of(id: string): string {
    return this.#current.get(id) ?? this.begin(id);
  }

  #free(base: string): string {
    for (;;) {
      const times = (this.#times.get(base) ?? 0) + 1;
      this.#times.set(base, times);
      const ending = `_${times}`;
      const wanted = times === 1 ? base : `${base.slice(0, longestId - ending.length)}${ending}`;
      if (!this.#taken.has(wanted)) return wanted;
    }
  }
}

/** The input of a call as an object: anything else becomes the member `rawInvalidInput`, as the AI SDK's own providers write it. */
function fitInput(input: unknown): JSONObject {
  const read = typeof input === "string" ? readObject(input) : input;
  if (isPlainObject(read)) return read as JSONObject;
  return { rawInvalidInput: typeof input === "string" ? withoutHalves(input) : (input as JSONValue) };
}

const surrogates = /\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\ud[89a-f][0-9a-f]{2}/gi;
const lengthOfPair = 12;

/** Broken JSON without escapes of half surrogate pairs: some servers read a text inside a text as JSON, too. */
const withoutHalves = (text: string) => text.replace(surrogates, (found) => (found.length === lengthOfPair ? found : "\ufffd"));

/** The object that a text holds as JSON, else the text. */
function readObject(text: string): unknown {
  if (!text.trimStart().startsWith("{") || isDeepJson(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Levels of an input that the gate reads. */
const deepest = 64;

/** True for JSON with more levels than calls may have: what reads it value by value would overflow the stack. */
export function isDeepJson(text: string): boolean {
  let level = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (isInText && letter === "\\") at += 1;
    else if (letter === '"') isInText = !isInText;
    else if (isInText) continue;
    else if (letter === "{" || letter === "[") level += 1;
    else if (letter === "}" || letter === "]") level -= 1;
    if (level > deepest) return true;
  }
  return false;
}

/** What a model reads of a result without a word: some providers refuse a blank text. */
const nothingSaid = "[The result is empty.]";

/** Most wires carry no mark for an error: its text says that it is one. */
function fitOutput(output: LanguageModelV4ToolResultOutput): LanguageModelV4ToolResultOutput {
  switch (output.type) {
    case "text":
      return output.value.trim() === "" ? { ...output, value: nothingSaid } : output;
    case "error-text":
      // It may quote the input of its call.
      return { ...output, value: withoutHalves(saysError.test(output.value) ? output.value : `Error: ${output.value}`) };
    case "error-json":
      return { type: "error-text", value: `Error: ${JSON.stringify(output.value)}` };
    case "execution-denied": {
      const { reason = "no reason was given" } = output;
      return { type: "error-text", value: saysDenied.test(reason) ? reason : `Denied: ${reason}` };
    }
    case "content": {
      const value = output.value.filter((part) => part.type !== "text" || part.text.trim() !== "");
      return value.length === 0 ? { type: "text", value: nothingSaid } : { ...output, value };
    }
    default:
      return output;
  }
}

const saysDenied = /^Denied\b/;
/** How the door begins what it says of a call that did not end well. */
const saysError = /^(Error|Denied|Cancelled|Not run yet|The call was interrupted|The turn failed)\b/;

/** Schemas are the same objects in each request. */
const wellFormedSchemas = new WeakSet<object>();

function fitTool(tool: NonNullable<LanguageModelV4CallOptions["tools"]>[number]) {
  if (tool.type !== "function") return tool;
  const { inputSchema, ...rest } = tool;
  const schema = wellFormedSchemas.has(inputSchema) ? inputSchema : wellFormed(inputSchema);
  wellFormedSchemas.add(schema);
  const about = wellFormed(rest);
  return schema === inputSchema && about === rest ? tool : { ...about, inputSchema: schema };
}
