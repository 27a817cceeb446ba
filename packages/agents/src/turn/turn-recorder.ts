import type { LanguageModelV4CallOptions, LanguageModelV4Middleware, LanguageModelV4StreamPart, SharedV4Warning } from "@ai-sdk/provider";
import type { CallResult, CallUsage, Json } from "@toolwright/engine";
import {
  type Clock,
  type CutReason,
  digest,
  type HeldTurn,
  type QueuedMessage,
  sumBudgets,
  type TurnBudget,
  type TurnHold,
  type Turns,
} from "@toolwright/engine/ports";
import type { OpenedModel } from "../models/model-source.ts";
import { mapStream, type StreamMap } from "./map-stream.ts";
import { AnswerBrokeOff, AnswerEndless } from "./model-error.ts";
import { ModelSilence } from "./model-silence.ts";
import { redactAnswer } from "./redact-answer.ts";
import { callsOf, cutReasonOf, ResponseCollector, replay, type StoredPart, type StoredResponse } from "./stored-response.ts";
import type { TurnMeter } from "./turn-parts.ts";
import type { Shown, TurnSeal } from "./turn-seal.ts";
import { addUsage, type Spent, usageOf } from "./turn-usage.ts";

/** The process does not hold the turn any more: another one goes on with it. */
export class TurnLost extends Error {
  constructor(id: string) {
    super(`Another process goes on with turn ${id}.`);
    this.name = "TurnLost";
  }
}

/** What is told of a response. */
interface KeptResponse {
  readonly step: number;
  /** Digest of it. */
  readonly response: string;
  readonly calls: number;
  readonly usage: Spent;
}

interface RecorderOptions {
  readonly held: TurnHold;
  readonly turns: Turns;
  readonly seal: TurnSeal;
  readonly clock: Clock;
  /** The one that answers. */
  readonly model: Pick<OpenedModel, "id" | "mark" | "keys">;
  readonly meter?: TurnMeter | undefined;
  /** A response is in the store. */
  readonly onKept: (kept: KeptResponse) => void;
  /** What of the request the model does not do. Once a run: requests of one turn are alike. */
  readonly onWarnings: (warnings: readonly SharedV4Warning[]) => void;
}

/**
 * Writes each response of the model before anything comes of it, and gives back one that is stored in place of a request. As a middleware,
 * since the SDK passes over what its callbacks throw.
 */
export class TurnRecorder {
  readonly #options: RecorderOptions;
  /** Messages that the next write takes along. */
  #settled: Shown[] = [];
  #delivered: string[] = [];
  #step: number;
  #usage: CallUsage;
  /** Usage of requests that are no steps, since the last write. */
  #beside: CallUsage = {};
  #lastTokens = 0;
  #hasWarned = false;
  #open: StoredResponse | undefined;
  #isReplay: boolean;
  #partial: ResponseCollector | undefined;
  readonly #silence: ModelSilence;
  readonly #results: Map<string, CallResult>;

  constructor({ turn, open }: HeldTurn, options: RecorderOptions) {
    this.#options = options;
    if (options.meter) options.meter.add = ({ model, ...spent }) => this.spend(spent, model);
    this.#silence = new ModelSilence(options.clock);
    this.#step = turn.steps;
    this.#usage = turn.usage;
    this.#open = open?.response as StoredResponse | undefined;
    this.#isReplay = this.#open !== undefined;
    this.#results = new Map(Object.entries(open?.results ?? {}));
    options.seal.results = this.#results;
  }

  /** Responses that are stored. */
  get steps(): number {
    return this.#step;
  }

  get usage(): CallUsage {
    return this.#usage;
  }

  /** Tokens of the last request, in and out; 0 before this run knows of one. */
  get lastTokens(): number {
    return this.#lastTokens;
  }

  /** True where the next request is answered from the store. */
  get isReplay(): boolean {
    return this.#isReplay;
  }

  /** The response whose calls run now, else what came of one that is not whole: its text. */
  get unfinished(): readonly StoredPart[] {
    return this.#open?.parts ?? this.#partial?.parts.filter(({ type }) => type === "text") ?? [];
  }

  /** Why the response that is under way is not whole. */
  get cutReason(): CutReason | undefined {
    return this.#open && cutReasonOf(this.#open.finishReason);
  }

  get results(): ReadonlyMap<string, CallResult> {
    return this.#results;
  }

  /** Messages that no write took along yet, and then these, as the store keeps them. */
  unwritten(more: readonly Shown[] = []): Promise<readonly Json[]> {
    return Promise.all([...this.#settled, ...more].map((message) => this.#options.seal.keep(message)));
  }

  /** Where the call stands in the turn: its key. */
  keyOf(toolCallId: string): string {
    return `turn ${this.#options.held.id} ${this.#step} ${this.positionOf(toolCallId)}`;
  }

  /** From 1, among the calls of its response. */
  positionOf(toolCallId: string): number {
    return callsOf(this.#open ?? { parts: [] }).findIndex((call) => call.toolCallId === toolCallId) + 1;
  }

  noteResult(toolCallId: string, result: CallResult): void {
    this.#results.set(toolCallId, result);
  }

  /** Adds what a request took that is no step. */
  spend(usage: Spent, model = this.#options.model.id): void {
    this.#usage = addUsage(this.#usage, { models: [model], ...usage });
    this.#beside = addUsage(this.#beside, usage);
  }

  /** What was spent since the last write. */
  get unkept(): TurnBudget {
    return sumBudgets([{ usage: this.#beside, reserved: {} }]);
  }

  /** The step has ended, with these messages; the next request holds what was queued. */
  settle(messages: readonly Shown[]): void {
    this.#settled.push(...messages);
    this.#open = undefined;
    this.#results.clear();
  }

  /** What was unwritten is in the store. */
  noteWritten(): void {
    this.#settled = [];
  }

  deliver(queued: readonly QueuedMessage[]): void {
    this.#delivered = queued.map(({ id }) => id);
  }

  readonly middleware: LanguageModelV4Middleware = {
    specificationVersion: "v4",
    transformParams: async ({ params }) => {
      const { mark = (request) => request } = this.#options.model;
      return { ...mark(params), abortSignal: this.#silence.begin(params.abortSignal) };
    },
    wrapStream: async ({ doStream, params }) => {
      if (this.#isReplay && this.#open) {
        this.#isReplay = false;
        this.#noteTokens(this.#spentOn(this.#open, params));
        return { stream: replay(this.#open) };
      }
      const { stream, ...rest } = await doStream();
      return { ...rest, stream: mapStream(redactAnswer(stream, this.#options.model), this.#record(params)) };
    },
  };

  #record(request: LanguageModelV4CallOptions): StreamMap<LanguageModelV4StreamPart> {
    const collector = new ResponseCollector(`call_${this.#step + 1}`);
    this.#partial = collector;
    // Held back from the first call on: the SDK repairs a call when it sees it, and nothing is to come of a response that is not stored. What
    // follows the call stays behind it, since providers want the parts of an answer back in their order.
    const held: LanguageModelV4StreamPart[] = [];
    let isWhole = false;
    let length = 0;
    return {
      map: (part) => {
        this.#silence.heard();
        length += lengthOf(part);
        if (length > longestAnswer) {
          // None of it is kept: the conversation could not go on with it.
          this.#partial = undefined;
          throw new AnswerEndless(longestAnswer);
        }
        const taken = collector.take(part);
        if (taken.type === "error") throw new AnswerBrokeOff(taken.error);
        if (taken.type === "stream-start") {
          if (taken.warnings.length > 0 && !this.#hasWarned) this.#options.onWarnings(taken.warnings);
          this.#hasWarned ||= taken.warnings.length > 0;
          // The SDK would write them to the console.
          return [{ ...taken, warnings: [] }];
        }
        if (taken.type === "finish") {
          this.#silence.end();
          if (isBroken(taken)) throw new AnswerBrokeOff();
          return this.#keep({ parts: collector.parts, ...endOf(taken) }, request).then(() => {
            isWhole = true;
            return [...held, taken];
          });
        }
        if (taken.type !== "tool-call" && (held.length === 0 || isOfInput(taken))) return [taken];
        held.push(taken);
        return [];
      },
      end: () => {
        if (!isWhole) throw new AnswerBrokeOff();
      },
    };
  }

  #spentOn({ usage, parts }: StoredResponse, request: LanguageModelV4CallOptions): Spent {
    return usageOf({ id: this.#options.model.id, usage, request, answer: parts });
  }

  #noteTokens({ inputTokens = 0, outputTokens = 0 }: Spent): void {
    this.#lastTokens = inputTokens + outputTokens;
  }

  async #keep(response: StoredResponse, request: LanguageModelV4CallOptions): Promise<void> {
    const { held, turns, seal, clock, model, onKept } = this.#options;
    const spent = this.#spentOn(response, request);
    const usage = addUsage(this.#usage, { models: [model.id], ...spent });
    const step = this.#step + 1;
    const answered = seal.show(response);
    const [kept, settled] = await Promise.all([seal.keep(answered), this.unwritten()]);
    const written = { step, response: kept, settled, delivered: this.#delivered, usage, at: clock.now() };
    if (!(await turns.keep(held, written))) throw new TurnLost(held.id);
    onKept({ step, response: digest(written.response), calls: callsOf(response).length, usage: spent });
    this.#step = step;
    this.#usage = usage;
    this.#beside = {};
    this.#noteTokens(spent);
    this.#settled = [];
    this.#delivered = [];
    this.#open = answered.whole as unknown as StoredResponse;
    this.#partial = undefined;
  }
}

type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** An answer that ended without a reason did not end. */
function isBroken({ finishReason: { unified, raw } }: FinishPart): boolean {
  return unified === "interrupted" || (raw === undefined && (unified === "error" || unified === "other"));
}

/** Characters of one answer: more than any model gives that comes to an end. */
const longestAnswer = 2_000_000;

/** Characters of a part, and one for the part itself. */
function lengthOf(part: LanguageModelV4StreamPart): number {
  if ("delta" in part) return part.delta.length + 1;
  return part.type === "tool-call" ? part.input.length + 1 : 1;
}

/** People watch the input of a call as it comes; it is part of no message. */
const isOfInput = ({ type }: LanguageModelV4StreamPart) => type.startsWith("tool-input-");

function endOf({ finishReason, usage, providerMetadata }: FinishPart) {
  return { finishReason, usage, ...(providerMetadata && { providerMetadata }) };
}
