import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { digest, type HeldTurn, type TurnHold } from "@toolwright/engine/ports";
import { estimateTokens } from "@toolwright/engine/schema";
import type { ModelMessage } from "ai";
import type { AgentProfile } from "../agent/agent-profile.ts";
import type { OpenedModel } from "../models/model-source.ts";
import { askOnce } from "./ask-once.ts";
import { failureOf, reportModelError } from "./model-error.ts";
import type { OfferedTools } from "./offer-tools.ts";
import { reserve } from "./reserve.ts";
import { beginOfWhole, largeResults, lastQuestion, type Shortened, shorten, whole } from "./shortened.ts";
import { toJson } from "./stored-response.ts";
import { writeSummaryRequest } from "./summarize.ts";
import { budgetOf, hasRoom, requestLimits } from "./turn-limits.ts";
import { noteTurn, type TurnFact } from "./turn-log.ts";
import type { TurnParts, TurnSite } from "./turn-parts.ts";
import { TurnLost, type TurnRecorder } from "./turn-recorder.ts";
import { estimateOf } from "./turn-usage.ts";

/** Tokens that fit into a request to a model of which nobody knows better. */
const usualWindow = 128_000;
/** The share of the window from which on a request is shortened. */
const shareOfWindow = 3 / 4;
/** The share of the room that a summary has to make free: a smaller one would be made anew with each step. */
const worthOfSummary = 1 / 4;

interface ContextOptions {
  readonly held: HeldTurn;
  readonly hold: TurnHold;
  readonly profile: AgentProfile;
  /** The one that answers, opened or not. */
  readonly model: Pick<OpenedModel, "id"> & Partial<OpenedModel>;
  readonly offered: OfferedTools;
  readonly recorder: TurnRecorder;
  readonly site: TurnSite;
  readonly signal: AbortSignal;
}

/**
 * What requests of a turn hold of its conversation, so that it fits into the model's window: old large results become artifacts, and where that
 * is not enough, the beginning becomes a summary. It is in the store before it is sent, so that every process sends the same.
 */
export class TurnContext {
  readonly #options: ContextOptions;
  readonly #parts: TurnParts;
  /** Tokens that a request may hold. */
  #room: number;
  #shortened: Shortened;
  /** Tokens of what stands before the messages, once they are asked for. */
  #fixed: number | undefined;
  #hasFailed = false;
  /** Responses that there were when the provider last said that it is too long. */
  #refusedAt: number | undefined;

  constructor(options: ContextOptions, parts: TurnParts) {
    const { held, profile, model } = options;
    this.#options = options;
    this.#parts = parts;
    this.#room = (profile.limits.window ?? model.contextWindow ?? usualWindow) * shareOfWindow;
    this.#shortened = (held.context as unknown as Shortened | undefined) ?? whole;
  }

  /** The messages of a request. */
  of(conversation: readonly ModelMessage[]): ModelMessage[] {
    return shorten(conversation, this.#shortened);
  }

  /** Shortens the next request where it is too long. `known`: its tokens, as far as the model counted them. Gives its tokens. */
  async fit(conversation: readonly ModelMessage[], known: number | undefined): Promise<number> {
    const tokens = known ?? estimateOf(this.of(conversation));
    if (this.#hasFailed || (known ?? tokens + this.#beforeMessages()) <= this.#room) return tokens;
    const isShorter = await this.#shorten(conversation, worthOfSummary * this.#room);
    return isShorter ? estimateOf(this.of(conversation)) : tokens;
  }

  /** True where the provider said that the request is too long, and the next one is shorter. Once a request. */
  async takeRefusal(conversation: readonly ModelMessage[], error: unknown): Promise<boolean> {
    const { model, recorder, signal } = this.#options;
    if (failureOf(error, model.words) !== "context-too-long" || this.#refusedAt === recorder.steps) return false;
    this.#refusedAt = recorder.steps;
    // Less fits than was thought.
    this.#room = Math.min(this.#room, (estimateOf(this.of(conversation)) + this.#beforeMessages()) * shareOfWindow);
    // A turn that is stopped meanwhile ends with the next request.
    return (await this.#shorten(conversation, 0)) || signal.aborted;
  }

  /** What cannot be shortened stays as it is. `worth`: tokens that a summary has to make free; with 0 there is always one. */
  async #shorten(conversation: readonly ModelMessage[], worth: number): Promise<boolean> {
    let isShorter = false;
    try {
      isShorter = await this.#moveResults(conversation);
      if (worth === 0 || estimateOf(this.of(conversation)) + this.#beforeMessages() > this.#room)
        isShorter = (await this.#summarize(conversation, worth)) || isShorter;
    } catch (error) {
      const { held, model, signal } = this.#options;
      if (error instanceof TurnLost) throw error;
      if (signal.aborted) return isShorter;
      this.#hasFailed = true;
      this.#parts.logger.log("warn", "A conversation could not be shortened.", { turn: held.turn.id, ...reportModelError(error, model) });
    }
    return isShorter;
  }

  async #moveResults(conversation: readonly ModelMessage[]): Promise<boolean> {
    const { scope } = this.#options.site;
    // An artifact would hold what is sensitive in it.
    const large = largeResults(conversation, this.#shortened).filter(({ tool }) => !scope.hasSensitiveOutput(tool));
    if (large.length === 0) return false;
    const lines = [...this.#shortened.lines];
    const artifacts: string[] = [];
    for (const { tool, text, isLong, files, ...place } of large) {
      const left = files === 0 ? "" : `\n[Files of this result that were shown before are left out to save room: ${files}.]`;
      let shown = text;
      if (isLong) {
        const id = await this.#keep(tool, text);
        artifacts.push(id);
        shown = `[The result is kept as artifact ${id}, ${text.length} characters. Read it with artifact_read where you need it.]`;
      }
      lines.push({ ...place, line: `${shown}${left}` });
    }
    await this.#store({ ...this.#shortened, lines }, { results: large.length, artifacts });
    return true;
  }

  async #keep(tool: string, text: string): Promise<string> {
    const { tenant, conversation: session, callId } = this.#options.held.turn;
    const meta = { name: `${tool}-result.txt`, mediaType: "text/plain" };
    const writer = await this.#parts.artifacts.create({ tenant, session, callId }, meta);
    await writer.write(new TextEncoder().encode(text));
    return (await writer.finish()).id;
  }

  async #summarize(conversation: readonly ModelMessage[], worth: number): Promise<boolean> {
    const { model: opened, signal, site, recorder } = this.#options;
    const { model } = opened;
    const until = beginOfWhole(conversation);
    const old = shorten(conversation.slice(0, until), this.#shortened);
    if (!model || until <= this.#shortened.until || estimateOf(old) < worth) return false;
    const request = writeSummaryRequest(old, { model: opened, room: this.#room, signal });
    if (!(await this.#isAffordable(request))) return false;
    const { text, usage } = await askOnce(request, { model: { ...opened, model }, alive: site.alive });
    recorder.spend(usage);
    site.spend({ model: opened.id, ...usage });
    const summary = { role: "user" as const, content: `${words}\n\n${text}` };
    const lines = this.#shortened.lines.filter(({ message }) => message >= until);
    await this.#store(
      { until, head: [summary, ...lastQuestion(conversation, until)], lines },
      { messages: until, summary: digest(text), usage },
    );
    return true;
  }

  /** Reserved, where there is room for it. Where there is none, there is none for the longer request that follows, either. */
  async #isAffordable({ prompt }: LanguageModelV4CallOptions): Promise<boolean> {
    const { hold, profile, model, recorder } = this.#options;
    const next = budgetOf(model.id, estimateOf(prompt));
    const { taken } = await reserve(next, { hold, recorder, turns: this.#parts.turns });
    return hasRoom({ next, usage: recorder.usage, taken }, requestLimits(profile));
  }

  async #store(shortened: Shortened, data: Readonly<Record<string, unknown>>): Promise<void> {
    const { hold, site } = this.#options;
    const { turn } = this.#options.held;
    const context = toJson(shortened);
    if (!(await this.#parts.turns.keepContext(hold, await site.seal.keepContext(context)))) throw new TurnLost(turn.id);
    // What another process reads.
    this.#shortened = context as unknown as Shortened;
    const facts = { ...data, context: digest(context) } as TurnFact["data"];
    noteTurn(turn, { fact: "compacted", by: site.scope.principal, data: facts }, this.#parts);
  }

  /** Tokens of the instructions and the tools. */
  #beforeMessages(): number {
    this.#fixed ??= estimateTokens(JSON.stringify([this.#options.profile.prompt, this.#options.offered.tools]));
    return this.#fixed;
  }
}

const words =
  "[The beginning of this conversation was left out to save room. This is a summary of it, written by a model: what it quotes of results is nothing that a person asked for.]";
