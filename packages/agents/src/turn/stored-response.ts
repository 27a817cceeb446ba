import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { Json } from "@toolwright/engine";
import { type CutReason, copyJson } from "@toolwright/engine/ports";
import type { ModelMessage } from "ai";
import { isDeepJson } from "../models/fit-prompt.ts";

type WholePart = Exclude<
  LanguageModelV4StreamPart,
  | { type: "text-start" | "text-delta" | "text-end" | "reasoning-start" | "reasoning-delta" | "reasoning-end" | "tool-input-start" }
  | { type: "tool-input-delta" | "tool-input-end" | "finish" | "error" | "raw" | "ping" | "stream-start" }
>;

/** A block of text that came in pieces. */
interface TextPart {
  readonly type: "text" | "reasoning";
  readonly text: string;
  readonly providerMetadata?: SharedV4ProviderMetadata;
}

export type StoredPart = TextPart | WholePart;

/** What the model answered to one request, without the pieces that it came in. As JSON in the store. */
export interface StoredResponse {
  readonly parts: readonly StoredPart[];
  readonly finishReason: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
  readonly providerMetadata?: SharedV4ProviderMetadata;
}

type CallPart = Extract<StoredPart, { type: "tool-call" }>;

/** The calls that the caller of the model is to make, in the order of the response. */
export function callsOf({ parts }: Pick<StoredResponse, "parts">): readonly CallPart[] {
  return parts.filter((part): part is CallPart => part.type === "tool-call" && part.providerExecuted !== true);
}

/** Why an answer is not whole. Servers have words of their own, which the SDK gives as they came. */
export function cutReasonOf({ unified, raw = "" }: LanguageModelV4FinishReason): CutReason | undefined {
  if (unified === "length" || unified === "content-filter" || unified === "error") return unified;
  if (unified !== "other") return undefined;
  return cutWords.find(({ words }) => words.test(raw))?.reason;
}

const cutWords: readonly { readonly reason: CutReason; readonly words: RegExp }[] = [
  { reason: "length", words: /length|max_?(output_?)?tokens|context_?window/i },
  { reason: "content-filter", words: /filter|safety|refus|guardrail|recitation|prohibited|blocked/i },
  { reason: "error", words: /error|abort|cancel|fail|interrupt|malformed/i },
];

/** Files of a model come as bytes; the SDK takes base64 as well. */
const writeBytes = (value: object) => (value instanceof Uint8Array ? Buffer.from(value).toString("base64") : undefined);

export const toJson = (value: unknown) => copyJson(value, writeBytes) as Json;

/** A message as the SDK takes it, which the record of a turn holds as JSON. */
export const toMessage = (message: unknown) => message as ModelMessage;

type Pieces = { type: "text" | "reasoning"; text: string; providerMetadata?: SharedV4ProviderMetadata };

/** Gathers the parts of a stream, and gives each call an id of its own: models repeat ids, or leave them out. */
export class ResponseCollector {
  readonly #parts: StoredPart[] = [];
  readonly #open = new Map<string, Pieces>();
  readonly #ids = new Set<string>();
  readonly #prefix: string;

  /** `prefix`: begins the ids that it gives itself, unique for the response. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get parts(): readonly StoredPart[] {
    return this.#parts;
  }

  /** The part as it goes on. */
  take(part: LanguageModelV4StreamPart): LanguageModelV4StreamPart {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#begin(part);
        return part;
      case "text-delta":
      case "reasoning-delta":
        this.#add(part);
        return part;
      case "text-end":
      case "reasoning-end":
        this.#describe(part.id, part.providerMetadata);
        return part;
      case "tool-call": {
        // As a text, which the gate refuses in words.
        const input = isDeepJson(part.input) ? JSON.stringify(part.input) : part.input;
        const named = { ...part, input, toolCallId: this.#nameCall(part.toolCallId) };
        this.#parts.push(named);
        return named;
      }
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-end":
      case "finish":
      case "error":
      case "raw":
      case "ping":
      case "stream-start":
        return part;
      default:
        this.#parts.push(part);
        return part;
    }
  }

  #begin({ type, id, providerMetadata }: Extract<LanguageModelV4StreamPart, { type: "text-start" | "reasoning-start" }>): void {
    const pieces: Pieces = { type: type === "text-start" ? "text" : "reasoning", text: "" };
    this.#open.set(id, pieces);
    this.#parts.push(pieces);
    this.#describe(id, providerMetadata);
  }

  #add({ id, delta, providerMetadata }: Extract<LanguageModelV4StreamPart, { type: "text-delta" | "reasoning-delta" }>): void {
    const pieces = this.#open.get(id);
    if (pieces) pieces.text += delta;
    this.#describe(id, providerMetadata);
  }

  #describe(id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const pieces = this.#open.get(id);
    if (pieces && metadata) pieces.providerMetadata = { ...pieces.providerMetadata, ...metadata };
  }

  #nameCall(id: string): string {
    const isFine = id !== "" && !this.#ids.has(id);
    const name = isFine ? id : `${this.#prefix}_${this.#ids.size + 1}`;
    this.#ids.add(name);
    return name;
  }
}

const isText = (part: StoredPart): part is TextPart => part.type === "text" || part.type === "reasoning";

/** A stored response as a stream, for who reads it as if the model had just given it. */
export function replay({ parts, ...end }: StoredResponse): ReadableStream<LanguageModelV4StreamPart> {
  const all = parts.flatMap((part, index): LanguageModelV4StreamPart[] => {
    if (!isText(part)) return [part];
    const { type, text: delta, providerMetadata } = part;
    const named = { id: `${index + 1}`, ...(providerMetadata && { providerMetadata }) };
    if (type === "text")
      return [
        { type: "text-start", ...named },
        { type: "text-delta", id: named.id, delta },
        { type: "text-end", ...named },
      ];
    return [
      { type: "reasoning-start", ...named },
      { type: "reasoning-delta", id: named.id, delta },
      { type: "reasoning-end", ...named },
    ];
  });
  return ReadableStream.from<LanguageModelV4StreamPart>([{ type: "stream-start", warnings: [] }, ...all, { type: "finish", ...end }]);
}
