import type { LanguageModelV4, LanguageModelV4Middleware } from "@ai-sdk/provider";
import { type CallResult, ToolwrightError } from "@toolwright/engine";
import {
  type Clock,
  type HeldTurn,
  pause,
  type QueuedMessage,
  type TurnEnding,
  type TurnHold,
  type TurnRecord,
} from "@toolwright/engine/ports";
import { type ModelMessage, ToolLoopAgent, toUIMessageStream, type UIMessageChunk, wrapLanguageModel } from "ai";
import type { AgentProfile } from "../agent/agent-profile.ts";
import { showAttachments } from "../attachments/show-attachments.ts";
import type { OpenedModel } from "../models/model-source.ts";
import { closeStep, withGateWords } from "./close-step.ts";
import { describeModelError, isPassing, reportModelError, retryAfterMs } from "./model-error.ts";
import type { ModelCall, OfferedTools } from "./offer-tools.ts";
import { refuseCall } from "./refuse-call.ts";
import { type SeenStep, shownChunk } from "./shown-chunk.ts";
import { toJson } from "./stored-response.ts";
import { turnLeaseMs } from "./turn-lease.ts";
import type { TurnOutcome, TurnParts, TurnSite } from "./turn-parts.ts";
import { TurnLost, TurnRecorder } from "./turn-recorder.ts";
import { TurnShow } from "./turn-show.ts";

/** Milliseconds for which a model that does not answer is asked again. */
const patienceMs = 600_000;
const firstPauseMs = 2_000;
const longestPauseMs = 60_000;

const lastStepNote =
  "This is the last answer of this turn: the limit of steps is reached. Answer now with what you have, without tools, and say what is left to do.";

export interface RunTurn {
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
    return await run.run();
  } finally {
    stop();
  }
}

class TurnRun {
  readonly #turn: TurnRecord;
  readonly #hold: TurnHold;
  readonly #held: HeldTurn;
  readonly #profile: AgentProfile;
  readonly #site: TurnSite;
  readonly #parts: TurnParts;
  readonly #show: TurnShow;
  /** Of the step that waited, until it was given again. */
  #seen: SeenStep;
  readonly #stopper = new AbortController();
  readonly #signal: AbortSignal;
  /** What the next request begins with. */
  readonly #conversation: ModelMessage[];
  #queued: ModelMessage[] = [];
  #waiting = new Map<string, string>();
  #hasWarned = false;

  constructor({ held, holder, isNew, profile, site }: RunTurn, parts: TurnParts) {
    this.#turn = held.turn;
    this.#hold = { tenant: held.turn.tenant, id: held.turn.id, holder };
    this.#held = held;
    this.#profile = profile;
    this.#site = site;
    this.#parts = parts;
    this.#signal = AbortSignal.any([site.signal, this.#stopper.signal]);
    this.#conversation = held.messages.map(toMessage);
    this.#show = new TurnShow(held.turn, parts);
    if (held.waitedFor.length > 0) this.#seen = { calls: new Set(Object.keys(held.open?.results ?? {})) };
    else {
      if (!isNew) this.#show.forgetPieces();
      const { id, conversation, agent } = held.turn;
      this.#show.add({ type: "start", messageId: id, messageMetadata: { conversation, agent } });
    }
  }

  /** Prolongs the lease while the turn runs, and hears when it is to end. */
  keepHold(): () => void {
    const { turns, clock, logger } = this.#parts;
    let cancel = () => {};
    const next = () => {
      cancel = clock.after(turnLeaseMs / 3, () => {
        turns.hold(this.#hold, clock.now() + turnLeaseMs).then(
          (isHeld) => isHeld || this.#stopper.abort(new TurnLost(this.#turn.id)),
          (error: unknown) =>
            logger.log("warn", "The lease of a turn could not be prolonged.", { turn: this.#turn.id, error: String(error) }),
        );
        next();
      });
    };
    next();
    const unfollow = turns.follow(this.#turn.tenant, (id) => {
      if (id === undefined || id === this.#turn.id) void this.#look();
    });
    return () => {
      cancel();
      unfollow();
    };
  }

  async #look(): Promise<void> {
    const turn = await this.#parts.turns.get(this.#turn).catch(() => undefined);
    if (turn?.cancelReason !== undefined) this.#stopper.abort(new TurnCancelled(turn.cancelReason));
  }

  async run(): Promise<TurnOutcome> {
    const { models } = this.#parts;
    const { tenant, agent, conversation, cancelReason } = this.#turn;
    const id = this.#profile.model ?? models.usual;
    if (cancelReason !== undefined) {
      await this.#endDenied();
      this.#stopper.abort(new TurnCancelled(cancelReason));
      return this.#stop(await this.#makeLoop({ id, target: "json-schema-2020-12" }));
    }
    try {
      const opened = await models.open(id, { tenant, agent, conversation });
      return await this.#loop(await this.#makeLoop(opened), opened);
    } catch (error) {
      // A model that cannot be had ends the turn; the conversation goes on with the next message.
      if (!ToolwrightError.is(error) || error.code !== "model_unavailable") throw error;
      return this.#fail(await this.#makeLoop({ id, target: "json-schema-2020-12" }), error);
    }
  }

  /** Calls that nobody approved any more: their endings come into the log. One that was approved before does not run, either. */
  async #endDenied(): Promise<void> {
    const { scope } = this.#site;
    for (const id of this.#held.waitedFor) {
      const stored = await scope.approval(id);
      if (stored?.answer?.outcome.kind === "deny") await scope.resume(id);
    }
  }

  async #makeLoop(model: LoopModel): Promise<Loop> {
    const { turns, clock, logger, offerTools } = this.#parts;
    const { scope } = this.#site;
    const recorder = new TurnRecorder(this.#held, {
      ...{ held: this.#hold, turns, now: () => clock.now(), model },
      onWarnings: (warnings) => this.#warn(model.id, warnings),
      onUsage: (usage) => this.#site.spend({ model: model.id, ...usage }),
    });
    const offered = await offerTools(scope, {
      target: model.target,
      messages: this.#conversation,
      call: (made) => this.#call(made, recorder),
    });
    const attachments = showAttachments({ model, scope, logger, turn: this.#turn.id });
    return { model, recorder, attachments, offered, answer: undefined };
  }

  /** Once a run: requests of one turn are alike. */
  #warn(model: string, warnings: readonly unknown[]): void {
    if (warnings.length === 0 || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#parts.logger.log("info", "A model does not do all that requests ask.", { turn: this.#turn.id, model, warnings });
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
      const pauseMs = isPassing(error, loop.model.words) ? patience.pauseAfter(error) : undefined;
      if (pauseMs === undefined) return this.#fail(loop, error);
      this.#site.alive();
      await pause(pauseMs, clock, this.#signal);
    }
  }

  /** Asks the model until it answers, waits or fails. */
  async #ask(loop: Loop, model: LanguageModelV4): Promise<{ readonly error: unknown } | undefined> {
    const { recorder, offered } = loop;
    let failure: { readonly error: unknown } | undefined;
    const agent = new ToolLoopAgent({
      model: wrapLanguageModel({ model, middleware: [loop.attachments, recorder.middleware] }),
      instructions: this.#profile.prompt,
      ...offered,
      maxRetries: 0,
      toolCallConcurrency: this.#profile.limits.callsAtOnce,
      stopWhen: () => this.#waiting.size > 0 || recorder.steps >= this.#profile.limits.steps,
      prepareStep: ({ steps }) => this.#prepare(loop, steps.at(-1)?.response.messages),
      onError: ({ error }) => {
        failure ??= { error };
      },
    });
    loop.answer = undefined;
    this.#waiting.clear();
    try {
      const { stream, steps } = await agent.stream({
        messages: this.#conversation,
        abortSignal: this.#signal,
      });
      const shown = toUIMessageStream({ stream, tools: offered.tools, sendReasoning: true, sendStart: false, sendFinish: false });
      for await (const chunk of shown) this.#see(chunk);
      if (failure) return failure;
      const last = (await steps).at(-1);
      loop.answer = last && { messages: last.response.messages, text: last.text };
      return undefined;
    } catch (error) {
      return failure ?? { error };
    }
  }

  #see(chunk: UIMessageChunk): void {
    this.#site.alive();
    const shown = shownChunk(chunk, this.#seen);
    if (shown) this.#show.add(shown);
    if (chunk.type !== "finish-step") return;
    this.#seen = undefined;
    this.#show.settle();
  }

  /** Before each request: what the step before came to is settled, and what was said meanwhile is taken up. */
  async #prepare(loop: Loop, before: readonly ModelMessage[] | undefined) {
    const { recorder } = loop;
    if (before) this.#settle(loop, before);
    if (recorder.isReplay) return { messages: this.#conversation };
    this.#show.restart();
    const news = await this.#parts.turns.news(this.#hold);
    if (!news) throw new TurnLost(this.#turn.id);
    if (news.cancelReason !== undefined) this.#stopper.abort(new TurnCancelled(news.cancelReason));
    recorder.deliver(news.queued);
    this.#queued = news.queued.map(({ message }) => toMessage(message));
    const messages = [...this.#conversation, ...this.#queued];
    if (recorder.steps + 1 < this.#profile.limits.steps) return { messages };
    return { messages: [...messages, { role: "user" as const, content: lastStepNote }], toolChoice: "none" as const };
  }

  #settle({ recorder, offered }: Loop, given: readonly ModelMessage[]): void {
    const messages = withGateWords(given, recorder.results, offered);
    recorder.settle(messages);
    this.#conversation.push(...this.#queued, ...messages);
    this.#queued = [];
  }

  async #call({ name, input, toolCallId, options }: ModelCall, recorder: TurnRecorder): Promise<CallResult> {
    const known = recorder.results.get(toolCallId);
    if (known) return known;
    const { scope, alive } = this.#site;
    const most = this.#profile.limits.callsPerStep;
    if (recorder.positionOf(toolCallId) > most) return refuseCall({ callId: this.#parts.ids.next("call"), tool: name, most });
    const ended = await scope.invokeNamed(name, input, {
      ...{ signal: this.#signal, ...options },
      idempotencyKey: recorder.keyOf(toolCallId),
      onOutput: (text) => {
        alive();
        options.onOutput?.(text);
      },
    });
    alive();
    // The model reads the same, whether the call ended in this process or in one that died: its provider's cache goes by bytes.
    const { replayed: _, ...result } = ended;
    if (result.status === "pending") this.#waiting.set(toolCallId, result.approval.id);
    else recorder.noteResult(toolCallId, result);
    return result;
  }

  async #wait({ recorder }: Loop): Promise<TurnOutcome> {
    const waitsFor = [...new Set(this.#waiting.values())];
    const isHeld = await this.#parts.turns.wait(this.#hold, { waitsFor, results: Object.fromEntries(recorder.results) });
    if (!isHeld) throw new TurnLost(this.#turn.id);
    await this.#show.written();
    const turn = await this.#parts.turns.get(this.#turn);
    return { kind: "waits", turn: turn ?? this.#turn, waitsFor };
  }

  /** Undefined where somebody said something meanwhile: the turn goes on with that. */
  async #answer(loop: Loop): Promise<TurnOutcome | undefined> {
    const { recorder, answer } = loop;
    if (answer) this.#settle(loop, answer.messages);
    const limit = recorder.steps >= this.#profile.limits.steps ? { limit: "steps" } : {};
    const ending = { state: "done" as const, text: answer?.text ?? "", ...limit, settled: recorder.unwritten, usage: recorder.usage };
    const queued = await this.#end(ending);
    if (queued.length === 0) return this.#ended();
    recorder.noteWritten();
    this.#conversation.push(...queued.map(({ message }) => toMessage(message)));
    return undefined;
  }

  /** Cancelled, or out of time: calls that did not end get a result, and the text so far stays. */
  #stop(loop: Loop): Promise<TurnOutcome> {
    const { reason } = this.#signal;
    if (reason instanceof TurnLost) throw reason;
    const words = reason instanceof TurnCancelled ? reason.message : "The turn was stopped.";
    return this.#close(loop, { state: "cancelled", text: textOf(loop.recorder), words: `Cancelled: ${words}` });
  }

  #fail(loop: Loop, cause: unknown): Promise<TurnOutcome> {
    const error = describeModelError(cause, loop.model);
    const { id } = loop.model;
    this.#parts.logger.log("warn", "A model failed.", { turn: this.#turn.id, model: id, ...reportModelError(cause, loop.model) });
    return this.#close(loop, { state: "failed", text: textOf(loop.recorder), error, words: "The turn failed before this call ended." });
  }

  async #close({ recorder, offered }: Loop, { words, ...ending }: Closing): Promise<TurnOutcome> {
    const { unfinished, results, unwritten, usage } = recorder;
    const messages = closeStep({ parts: unfinished, results, words }, offered);
    await this.#end({ ...ending, settled: [...unwritten, ...messages.map(toJson)], usage });
    this.#show.add(ending.error ? { type: "error", errorText: ending.error.message } : { type: "abort" });
    return this.#ended();
  }

  async #end(ending: Omit<TurnEnding, "at">): Promise<readonly QueuedMessage[]> {
    const { turns, clock } = this.#parts;
    // Who watches leaves when the turn has ended.
    await this.#show.written();
    const queued = await turns.end(this.#hold, { ...ending, at: clock.now() });
    if (!queued) throw new TurnLost(this.#turn.id);
    return queued;
  }

  async #ended(): Promise<TurnOutcome> {
    this.#show.add({ type: "finish" });
    this.#show.settle();
    await this.#show.written();
    return { kind: "ended", turn: (await this.#parts.turns.get(this.#turn)) ?? this.#turn };
  }
}

interface Closing extends Pick<TurnEnding, "state" | "text" | "error"> {
  /** For calls that did not end. */
  readonly words: string;
}

/** How long a model that does not answer is asked again, and after which pause. */
class Patience {
  readonly #clock: Clock;
  #since: number | undefined;
  #pauseMs = firstPauseMs;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  renew(): void {
    this.#since = undefined;
    this.#pauseMs = firstPauseMs;
  }

  /** Milliseconds; undefined when it is over. */
  pauseAfter(error: unknown): number | undefined {
    const now = this.#clock.now();
    this.#since ??= now;
    const wanted = retryAfterMs(error, now) ?? this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    return now + wanted - this.#since > patienceMs ? undefined : wanted;
  }
}

/** What a loop knows of its model, opened or not. */
type LoopModel = Pick<OpenedModel, "id" | "target" | "mark" | "files" | "words" | "redact">;

/** What one run of the loop works with, and what it came to. */
interface Loop {
  readonly model: LoopModel;
  readonly recorder: TurnRecorder;
  readonly attachments: LanguageModelV4Middleware;
  readonly offered: OfferedTools;
  answer: { readonly messages: readonly ModelMessage[]; readonly text: string } | undefined;
}

/** Somebody wants the turn to end. */
class TurnCancelled extends Error {}

const toMessage = (message: unknown) => message as ModelMessage;

const textOf = ({ unfinished }: TurnRecorder) => unfinished.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

/** What the store says is not the model's. */
function isOfStore(error: unknown): boolean {
  return ToolwrightError.is(error) && error.code.startsWith("store_");
}
