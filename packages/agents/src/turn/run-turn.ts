import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type CallResult, type JsonObject, ToolwrightError } from "@toolwright/engine";
import {
  digest,
  type HeldTurn,
  pause,
  type QueuedMessage,
  type TurnEnding,
  type TurnHold,
  type TurnRecord,
} from "@toolwright/engine/ports";
import { type ModelMessage, ToolLoopAgent, type UIMessageChunk, wrapLanguageModel } from "ai";
import type { AgentProfile } from "../agent/agent-profile.ts";
import { explainForeign } from "../agent/write-prompt.ts";
import { showAttachments } from "../attachments/show-attachments.ts";
import type { OpenedModel } from "../models/model-source.ts";
import { closeStep, hasWord, messagesOfStep } from "./close-step.ts";
import { endDenied } from "./end-denied.ts";
import { keepHold, TurnCancelled, TurnLetGo } from "./keep-hold.ts";
import { AnswerBrokeOff, AnswerEmpty, describeModelError, describeWait, failureOf, isPassing, reportModelError } from "./model-error.ts";
import type { ModelCall } from "./offer-tools.ts";
import { Patience } from "./patience.ts";
import { refuseCall } from "./refuse-call.ts";
import { Repeats } from "./repeats.ts";
import { reserve } from "./reserve.ts";
import { type SeenStep, shownChunk } from "./shown-chunk.ts";
import { toJson, toMessage } from "./stored-response.ts";
import { chunksOf } from "./to-chunk.ts";
import { TurnContext } from "./turn-context.ts";
import { budgetOf, checkPrice, judgeRequest, LimitReached, type RequestLimits, requestLimits } from "./turn-limits.ts";
import { noteTurn, type TurnFact } from "./turn-log.ts";
import { type Closing, isOfStore, type Loop, type LoopModel, textOf } from "./turn-loop.ts";
import type { TurnOutcome, TurnParts, TurnSite } from "./turn-parts.ts";
import { TurnLost, TurnRecorder } from "./turn-recorder.ts";
import { TurnShow } from "./turn-show.ts";
import { estimateOf } from "./turn-usage.ts";

interface RunTurn {
  readonly held: HeldTurn;
  readonly holder: string;
  /** False for one that another run left. */
  readonly isNew: boolean;
  readonly profile: AgentProfile;
  readonly site: TurnSite;
}

/** Goes on with a turn until it ends or waits for people. Rejects with `TurnLost` where another process has it, and where the store does not answer. */
export async function runTurn(options: RunTurn, parts: TurnParts): Promise<TurnOutcome> {
  const run = new TurnRun(options, parts);
  const stop = run.keepHold();
  try {
    return await (parts.leaving?.hold(run.run()) ?? run.run());
  } finally {
    stop();
  }
}

class TurnRun {
  readonly #turn: TurnRecord;
  readonly #hold: TurnHold;
  readonly #held: HeldTurn;
  readonly #profile: AgentProfile;
  readonly #limits: RequestLimits;
  readonly #site: TurnSite;
  readonly #parts: TurnParts;
  readonly #show: TurnShow;
  /** What was shown of the step that waited, until the step is repeated. */
  #seen: SeenStep;
  readonly #stopper = new AbortController();
  readonly #signal: AbortSignal;
  /** What the next request begins with. */
  readonly #conversation: ModelMessage[] = [];
  readonly #repeats = new Repeats();
  /** Tokens of the next request, where they are known. */
  #tokens: number | undefined;
  #queued: ModelMessage[] = [];
  #waiting = new Map<string, string>();
  /** The limit for which the last request was without tools. */
  #reached: string | undefined;
  /** Calls that run now. */
  #calls = 0;

  constructor({ held, holder, isNew, profile, site }: RunTurn, parts: TurnParts) {
    this.#turn = held.turn;
    this.#hold = { tenant: held.turn.tenant, id: held.turn.id, holder };
    this.#held = held;
    this.#profile = { ...profile, prompt: explainForeign(profile.prompt, site.scope.list()) };
    this.#limits = requestLimits(profile);
    this.#site = site;
    this.#parts = parts;
    this.#signal = AbortSignal.any([site.signal, this.#stopper.signal]);
    this.#say(held.messages.map(toMessage));
    this.#show = new TurnShow(held.turn, site.seal, parts);
    if (held.waitedFor.length > 0) this.#seen = { calls: new Set(Object.keys(held.open?.results ?? {})) };
    else {
      if (!isNew) this.#show.forgetPieces();
      this.#show.start(held.turn);
    }
    if (!isNew) this.#note("resumed", { approvals: held.waitedFor });
  }

  keepHold(): () => void {
    const leave = () => this.#leave();
    return keepHold({ turn: this.#turn, hold: this.#hold, stopper: this.#stopper, leave }, this.#parts);
  }

  /** A process that ends asks the model nothing more. Calls that run end first: what they did is in the record then. */
  #leave(): void {
    if (this.#parts.leaving?.signal.aborted && this.#calls === 0) this.#stopper.abort(new TurnLetGo());
  }

  async run(): Promise<TurnOutcome> {
    const { models } = this.#parts;
    const { tenant, agent, conversation, cancelReason } = this.#turn;
    const id = this.#profile.model ?? models.usual;
    if (cancelReason !== undefined) {
      await endDenied(this.#held, this.#site.scope);
      this.#stopper.abort(new TurnCancelled(cancelReason));
      return this.#stop(await this.#makeLoop({ id, target: "json-schema-2020-12" }));
    }
    try {
      checkPrice(id, this.#limits);
      const opened = await models.open(id, { tenant, agent, conversation, network: this.#site.network });
      return await this.#loop(await this.#makeLoop(opened), opened);
    } catch (error) {
      // A model that cannot be had ends the turn; the conversation goes on with the next message.
      if (!ToolwrightError.is(error) || error.code !== "model_unavailable") throw error;
      return this.#fail(await this.#makeLoop({ id, target: "json-schema-2020-12" }), error);
    }
  }

  async #makeLoop(model: LoopModel): Promise<Loop> {
    const { turns, clock, logger, offerTools } = this.#parts;
    const { scope, meter, seal } = this.#site;
    const recorder = new TurnRecorder(this.#held, {
      ...{ held: this.#hold, turns, seal, clock, model, meter },
      onWarnings: (warnings) =>
        logger.log("info", "A model does not do all that requests ask.", { turn: this.#turn.id, model: model.id, warnings }),
      onKept: (kept) => {
        this.#site.spend({ model: model.id, ...kept.usage });
        this.#note("step", { model: model.id, ...kept });
      },
    });
    const offered = await offerTools(scope, {
      ...{ target: model.target, files: "parts" as const },
      messages: this.#conversation,
      call: (made) => this.#call(made, recorder),
    });
    const context = new TurnContext(
      { held: this.#held, hold: this.#hold, profile: this.#profile, site: this.#site, signal: this.#signal, model, recorder, offered },
      this.#parts,
    );
    const attachments = showAttachments({ model, scope, logger, turn: this.#turn.id });
    return { model, recorder, attachments, offered, context, answer: undefined };
  }

  #note(fact: TurnFact["fact"], data: TurnFact["data"]): void {
    noteTurn(this.#turn, { fact, by: this.#site.scope.principal, data }, this.#parts);
  }

  async #loop(loop: Loop, { model }: OpenedModel): Promise<TurnOutcome> {
    const { clock } = this.#parts;
    const patience = new Patience(clock);
    for (;;) {
      const before = loop.recorder.steps;
      const failure = await this.#ask(loop, model);
      if (loop.recorder.steps > before) patience.renew();
      if (this.#signal.aborted) return this.#stop(loop);
      if (!failure) {
        const outcome = this.#waiting.size > 0 ? await this.#wait(loop) : await this.#answer(loop);
        if (outcome) return outcome;
        continue;
      }
      const { error } = failure;
      if (error instanceof TurnLost || isOfStore(error)) throw error;
      if (error instanceof LimitReached) return this.#endAt(loop, error);
      if (await loop.context.takeRefusal(this.#conversation, error)) {
        this.#tokens = undefined;
        continue;
      }
      const pauseMs = isPassing(error, loop.model.words) ? patience.pauseAfter(error, loop.model.words) : undefined;
      if (pauseMs === undefined) return this.#fail(loop, error);
      this.#site.alive();
      this.#tellWait(loop, error, pauseMs);
      await pause(pauseMs, clock, this.#signal);
    }
  }

  /** Who waits for the turn reads why nothing comes, and for how long. */
  #tellWait({ model, recorder }: Loop, error: unknown, pauseMs: number): void {
    this.#parts.logger.log("info", "A model is asked again.", { turn: this.#turn.id, pauseMs, ...reportModelError(error, model) });
    const message = describeWait(error, model, pauseMs);
    this.#site.tell?.(message, recorder.steps);
    this.#show.wait(message, pauseMs);
    this.#note("model_waited", { model: model.id, failure: failureOf(error, model.words), pauseMs });
  }

  /** Asks the model until it answers, waits or fails. */
  async #ask(loop: Loop, model: LanguageModelV4): Promise<{ readonly error: unknown } | undefined> {
    const { recorder, offered } = loop;
    let failure: { readonly error: unknown } | undefined;
    const agent = new ToolLoopAgent({
      model: wrapLanguageModel({ model, middleware: [loop.attachments, recorder.middleware] }),
      instructions: this.#profile.prompt,
      ...offered,
      // The SDK's telemetry would hold what people say.
      ...{ maxRetries: 0, telemetry: { isEnabled: false } },
      toolCallConcurrency: this.#profile.limits.callsAtOnce,
      stopWhen: () => this.#waiting.size > 0 || recorder.steps >= this.#profile.limits.steps,
      prepareStep: ({ steps }) => this.#prepare(loop, steps.at(-1)?.response.messages),
      onError: ({ error }) => {
        failure ??= { error };
      },
      // Not the promises of the result: each of them reads the whole stream anew.
      onEnd: ({ finalStep: { response, text } }) => {
        loop.answer = { messages: response.messages, text };
      },
    });
    loop.answer = undefined;
    this.#waiting.clear();
    try {
      const { stream } = await agent.stream({ messages: this.#conversation, abortSignal: this.#signal });
      const toChunk = chunksOf(offered.tools);
      for await (const part of stream) this.#see(toChunk(part));
      return failure ?? (loop.answer ? undefined : { error: new AnswerBrokeOff() });
    } catch (error) {
      return failure ?? { error };
    }
  }

  #see(chunk: UIMessageChunk | undefined): void {
    this.#site.alive();
    if (chunk?.type === "text-delta" && !this.#seen) this.#site.say?.(chunk.delta);
    const shown = chunk && shownChunk(chunk, this.#seen);
    if (shown) this.#show.add(shown);
    if (chunk?.type !== "finish-step") return;
    this.#seen = undefined;
    this.#show.settle();
  }

  /** Before each request: what the step before came to is settled, and what was said meanwhile is taken up. */
  async #prepare(loop: Loop, before: readonly ModelMessage[] | undefined) {
    const { recorder } = loop;
    this.#leave();
    if (before) this.#settle(loop, before);
    if (recorder.isReplay) return { messages: loop.context.of(this.#conversation) };
    this.#show.restart();
    this.#tokens = await loop.context.fit(this.#conversation, this.#tokens);
    const next = budgetOf(loop.model.id, this.#tokens);
    const news = await reserve(next, { hold: this.#hold, recorder, turns: this.#parts.turns });
    if (news.cancelReason !== undefined) this.#stopper.abort(new TurnCancelled(news.cancelReason));
    recorder.deliver(news.queued);
    this.#queued = news.queued.map(({ message }) => toMessage(message));
    const messages = [...loop.context.of(this.#conversation), ...this.#queued];
    const { steps, usage } = recorder;
    const repeats = this.#queued.length > 0 ? 0 : this.#repeats.most;
    const { note, limit } = judgeRequest({ steps, repeats, next, usage, taken: news.taken }, this.#limits);
    this.#reached = limit;
    return {
      messages: note === undefined ? messages : [...messages, { role: "user" as const, content: note }],
      ...(limit !== undefined && { toolChoice: "none" as const }),
    };
  }

  #settle({ recorder, offered }: Loop, given: readonly ModelMessage[]): void {
    const messages = messagesOfStep(given, recorder.results, offered);
    recorder.settle(this.#site.seal.showAll(messages, offered));
    this.#say([...this.#queued, ...messages]);
    this.#queued = [];
    const { lastTokens } = recorder;
    this.#tokens = lastTokens > 0 ? lastTokens + estimateOf(messages.filter(({ role }) => role === "tool")) : undefined;
  }

  #say(messages: readonly ModelMessage[]): void {
    this.#conversation.push(...messages);
    this.#repeats.read(messages);
  }

  async #call({ name, input, toolCallId, options }: ModelCall, recorder: TurnRecorder): Promise<CallResult> {
    const known = recorder.results.get(toolCallId);
    if (known) return known;
    const { scope, alive, hearers } = this.#site;
    const most = this.#profile.limits.callsPerStep;
    if (recorder.positionOf(toolCallId) > most) return refuseCall({ callId: this.#parts.ids.next("call"), tool: name, most });
    const key = recorder.keyOf(toolCallId);
    hearers?.set(key, (turn) => this.#show.add({ type: "data-sub-agent", id: turn, data: { turn, toolCallId } }));
    this.#calls += 1;
    const ended = await scope.invokeNamed(name, input, {
      ...{ signal: this.#signal, ...options },
      idempotencyKey: key,
      onOutput: (text) => {
        alive();
        options.onOutput?.(text);
      },
    });
    this.#calls -= 1;
    alive();
    // The model reads the same, whether the call ended in this process or in one that died: its provider's cache goes by bytes.
    const { replayed: _, ...result } = ended;
    if (result.status === "pending") this.#waiting.set(toolCallId, result.approval.id);
    else recorder.noteResult(toolCallId, result);
    return result;
  }

  async #wait({ recorder }: Loop): Promise<TurnOutcome> {
    const waitsFor = [...new Set(this.#waiting.values())];
    const { usage } = recorder;
    const isHeld = await this.#parts.turns.wait(this.#hold, { waitsFor, results: await this.#site.seal.keepResults(), usage });
    if (!isHeld) throw new TurnLost(this.#turn.id);
    this.#note("waiting", { approvals: waitsFor });
    await this.#show.written();
    const turn = await this.#parts.turns.get(this.#turn);
    return { kind: "waits", turn: turn ?? this.#turn, waitsFor };
  }

  /** Undefined where somebody said something meanwhile: the turn goes on with that. */
  async #answer(loop: Loop): Promise<TurnOutcome | undefined> {
    const { recorder, answer: { text, messages } = { text: "", messages: [] } } = loop;
    const limit = this.#reached ?? (recorder.steps >= this.#profile.limits.steps ? "steps" : undefined);
    const isSilent = !hasWord(text);
    const finishReason = recorder.cutReason;
    // Providers refuse a conversation with an answer that says nothing.
    this.#settle(loop, !isSilent || messages.some(({ role }) => role === "tool") ? messages : []);
    if (isSilent && limit !== undefined) return this.#endAt(loop, new LimitReached(limit));
    // After calls there may be nothing left to say.
    if (isSilent && recorder.steps === 1) return this.#fail(loop, new AnswerEmpty(finishReason));
    const ending = {
      ...{ state: "done" as const, text, settled: await recorder.unwritten(), usage: recorder.usage },
      ...(limit !== undefined && { limit }),
      ...(finishReason && { finishReason }),
    };
    const queued = await this.#end(ending);
    if (queued.length === 0) return this.#ended();
    recorder.noteWritten();
    this.#say(queued.map(({ message }) => toMessage(message)));
    return undefined;
  }

  /** The model is asked no more: the agent says why in its place. */
  async #endAt({ recorder }: Loop, { limit, message: text }: LimitReached): Promise<TurnOutcome> {
    const said = toJson({ role: "assistant", content: [{ type: "text", text }] });
    this.#show.say("limit", text);
    await this.#end({ state: "done", text, limit, settled: [...(await recorder.unwritten()), said], usage: recorder.usage });
    return this.#ended();
  }

  /** Cancelled, or out of time: calls that did not end get a result, and the text so far stays. */
  #stop(loop: Loop): Promise<TurnOutcome> {
    const { reason } = this.#signal;
    if (reason instanceof TurnLost) throw reason;
    if (this.#parts.leaving?.signal.aborted && !(reason instanceof TurnCancelled)) return this.#letGo(loop);
    const words = reason instanceof TurnCancelled ? reason.message : "The turn was stopped.";
    return this.#close(loop, { state: "cancelled", text: textOf(loop.recorder), words: `Cancelled: ${words}` });
  }

  /** As if its lease were over, which others look for. */
  async #letGo({ recorder: { usage } }: Loop): Promise<never> {
    const { turns, clock } = this.#parts;
    this.#show.forgetPieces();
    await this.#show.written();
    await turns.hold(this.#hold, { until: clock.now(), usage });
    const message = `This process ends, and another one goes on with turn ${this.#turn.id}. Read how it ended with turns.get.`;
    throw new ToolwrightError("call_handed_over", message);
  }

  #fail(loop: Loop, cause: unknown): Promise<TurnOutcome> {
    const error = describeModelError(cause, loop.model);
    this.#parts.logger.log("warn", "A model failed.", { turn: this.#turn.id, ...reportModelError(cause, loop.model) });
    return this.#close(loop, { state: "failed", text: textOf(loop.recorder), error, words: "The turn failed before this call ended." });
  }

  async #close({ recorder, offered }: Loop, { words, ...ending }: Closing): Promise<TurnOutcome> {
    const { unfinished, results, usage } = recorder;
    const messages = this.#site.seal.showAll(closeStep({ parts: unfinished, results, words }, offered), offered);
    await this.#end({ ...ending, settled: await recorder.unwritten(messages), usage });
    this.#show.add(ending.error ? { type: "error", errorText: ending.error.message } : { type: "abort" });
    return this.#ended();
  }

  async #end(ending: Omit<TurnEnding, "at">): Promise<readonly QueuedMessage[]> {
    const { turns, clock } = this.#parts;
    // Who watches leaves when the turn has ended.
    await this.#show.written();
    const queued = await turns.end(this.#hold, { ...ending, at: clock.now() });
    if (!queued) throw new TurnLost(this.#turn.id);
    if (queued.length > 0) return queued;
    const { state, text, limit, finishReason, error, usage } = ending;
    if (limit !== undefined) this.#note("limited", { limit });
    this.#note("ended", { state, text: digest(text), finishReason, error: error?.code, usage: usage as JsonObject });
    return queued;
  }

  async #ended(): Promise<TurnOutcome> {
    const turn = (await this.#parts.turns.get(this.#turn)) ?? this.#turn;
    this.#show.add({ type: "finish", ...(turn.finishReason && { finishReason: turn.finishReason }) });
    this.#show.settle();
    await this.#show.written();
    return { kind: "ended", turn };
  }
}
