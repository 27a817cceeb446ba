import type { CallResult, Json, JsonObject, Scope } from "@toolwright/engine";
import { loggedResult, withLoggedOutput } from "@toolwright/engine/operations";
import { asJson, type HeldTurn } from "@toolwright/engine/ports";
import type { ModelMessage, UIMessageChunk } from "ai";
import type { OfferedTools } from "./offer-tools.ts";
import { toJson } from "./stored-response.ts";

/** The engine, which seals under the tenant's key. */
interface Sealing {
  readonly seal: (tenant: string, what: string, value: unknown) => Promise<string>;
  readonly open: (tenant: string, what: string, sealed: string) => Promise<Json>;
}

/** What people see of something, and the whole of it for the model. The same value where nothing is sensitive. */
export interface Shown {
  readonly shown: Json;
  readonly whole: Json;
}

interface Part {
  readonly type?: unknown;
  readonly toolName?: unknown;
  readonly toolCallId?: unknown;
  readonly input?: unknown;
}

/**
 * Keeps sensitive members of calls out of what is stored of a conversation: people see lengths, and the whole lies beside them under encryption, for the
 * requests to come.
 */
export class TurnSeal {
  readonly #tenant: string;
  readonly #place: string;
  readonly #scope: Pick<Scope, "hideInput">;
  readonly #sealing: Sealing;
  /** Calls whose input is shown as lengths. */
  readonly #hidden = new Set<string>();
  /** Something of the conversation is sealed. */
  #isSealed = false;
  /** How calls of the step that is under way ended, by their ids. */
  results: ReadonlyMap<string, CallResult> = new Map();

  constructor({ tenant, conversation }: HeldTurn["turn"], scope: Pick<Scope, "hideInput">, sealing: Sealing) {
    this.#tenant = tenant;
    this.#place = `the conversation ${conversation}`;
    this.#scope = scope;
    this.#sealing = sealing;
  }

  /** A turn as the model knows it. Rejects with `secret_unreadable` where something cannot be opened. */
  async openHeld(held: HeldTurn): Promise<HeldTurn> {
    const { messages, context, open } = held;
    const results = Object.entries(open?.results ?? {}).map(async ([id, kept]) => [id, await this.#openResult(kept)] as const);
    return {
      ...held,
      messages: await Promise.all(messages.map((message) => this.#openOne(message))),
      ...(context !== undefined && { context: await this.#openOne(context) }),
      ...(open && {
        open: {
          ...open,
          response: await this.#openOne(open.response),
          results: Object.fromEntries(await Promise.all(results)),
        },
      }),
    };
  }

  /** What a store keeps: the lengths, with the whole sealed beside them. */
  async keep({ shown, whole }: Shown): Promise<Json> {
    if (shown === whole) return whole;
    this.#isSealed = true;
    return { ...(shown as JsonObject), sealed: await this.#sealing.seal(this.#tenant, this.#place, whole) };
  }

  /** A response of the model, or a message, with the results of its calls. */
  show(value: unknown, write?: OfferedTools["write"]): Shown {
    const whole = toJson(value);
    const members = whole as { readonly parts?: readonly Json[]; readonly content?: unknown };
    const name = Array.isArray(members.parts) ? "parts" : "content";
    const parts = members[name];
    if (!Array.isArray(parts)) return { shown: whole, whole };
    const shown = (parts as readonly Json[]).map((part) => this.#showPart(part, write));
    return shown.every((part, index) => part === parts[index])
      ? { shown: whole, whole }
      : { shown: { ...(whole as JsonObject), [name]: shown }, whole };
  }

  showAll(messages: readonly ModelMessage[], { write }: Pick<OfferedTools, "write">): Shown[] {
    return messages.map((message) => this.show(message, write));
  }

  /** What a model wrote of a conversation may quote what is sealed in it. */
  async keepContext(context: Json): Promise<Json> {
    return this.#isSealed ? { sealed: await this.#sealing.seal(this.#tenant, this.#place, context) } : context;
  }

  /** How calls ended, as the store keeps that. */
  async keepResults(): Promise<Readonly<Record<string, CallResult>>> {
    const kept = [...this.results].map(async ([id, result]) => {
      const whole = asJson(result);
      return [id, await this.keep({ shown: asJson(loggedResult(result)), whole })] as const;
    });
    return Object.fromEntries(await Promise.all(kept)) as unknown as Readonly<Record<string, CallResult>>;
  }

  /** What people see of a chunk; undefined for pieces of an input that they see as lengths. */
  showChunk(chunk: UIMessageChunk): UIMessageChunk | undefined {
    switch (chunk.type) {
      case "tool-input-start":
        if (this.#hides(chunk.toolName)) this.#hidden.add(chunk.toolCallId);
        return chunk;
      case "tool-input-delta":
        return this.#hidden.has(chunk.toolCallId) ? undefined : chunk;
      case "tool-input-available":
      case "tool-input-error":
        return { ...chunk, input: this.#scope.hideInput(chunk.toolName, chunk.input) };
      case "tool-output-available": {
        const result = this.results.get(chunk.toolCallId);
        const logged = result && loggedResult(result);
        return result === logged || chunk.preliminary ? chunk : { ...chunk, output: logged };
      }
      default:
        return chunk;
    }
  }

  /** A text of a tool that has sensitive members is hidden whole. */
  #hides(tool: string): boolean {
    return this.#scope.hideInput(tool, "?") !== "?";
  }

  #showPart(part: Json, write: OfferedTools["write"] | undefined): Json {
    const { type, toolName, toolCallId, input } = part as Part;
    if (type === "tool-call" && typeof toolName === "string") {
      const given = typeof input === "string" ? readJson(input) : input;
      const hidden = this.#scope.hideInput(toolName, given);
      if (hidden === given) return part;
      return { ...(part as JsonObject), input: typeof input === "string" ? JSON.stringify(hidden) : (hidden as Json) };
    }
    const result = type === "tool-result" ? this.results.get(String(toolCallId)) : undefined;
    const logged = result && loggedResult(result);
    return !logged || logged === result || !write ? part : { ...(part as JsonObject), output: toJson(write(logged)) };
  }

  /** With what logs hold of it: it comes to be stored again. */
  async #openResult(kept: CallResult): Promise<CallResult> {
    const whole = (await this.#openOne(asJson(kept))) as unknown as CallResult;
    return whole !== kept && whole.status === "done" && kept.status === "done" ? withLoggedOutput(whole, kept.output) : whole;
  }

  async #openOne(kept: Json): Promise<Json> {
    const sealed = typeof kept === "object" && kept !== null && "sealed" in kept ? kept.sealed : undefined;
    if (typeof sealed !== "string") return kept;
    this.#isSealed = true;
    return this.#sealing.open(this.#tenant, this.#place, sealed);
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
