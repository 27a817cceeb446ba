import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequest,
  type InputRequests,
  inputResponse,
  type LoggingLevel,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type CallResult, type CapabilityProvider, type InvokeOptions, type Progress, ToolwrightError } from "@toolwright/engine";
import type { Clock } from "@toolwright/engine/ports";
import { type ClientEffect, type ClientFeature, type ConnectedClient, clientCapability, type ElicitAnswer } from "../client.ts";
import { tasksExtension } from "./call-meta.ts";
import { reportProgress } from "./report-progress.ts";

type Answer = Readonly<Record<string, unknown>>;

interface Question {
  readonly request: InputRequest;
  readonly resolve: (answer: Answer) => void;
}

/** How a round of a call ended: with its result, or with questions that the client must answer first. */
export type Round = { readonly result: CallResult } | { readonly questions: InputRequests };

/**
 * One call and the client that made it, over as many requests as it takes. While the client is asked, the tool waits where it
 * is; it is never run again to get back to the question.
 */
export class CallConversation {
  readonly #questions = new Map<string, Question>();
  readonly #abort = new AbortController();
  #exchange: Exchange;
  #detach: () => void = () => {};
  readonly #begun = Promise.withResolvers<string>();
  #progress: Progress | undefined;
  #asked = Promise.withResolvers<void>();
  /** Each answer is used once, or a tool that asks again would get the old answer for ever. */
  #answers: Record<string, unknown> = {};
  #result: Promise<CallResult> | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Aborts when the client cancels or goes away while a request of its is open, and when the answer is overdue. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get exchange(): Exchange {
    return this.#exchange;
  }

  /** Resolves with the id of the call when its tool begins to run. */
  get begun(): Promise<string> {
    return this.#begun.promise;
  }

  /** How the call ends. */
  get ending(): Promise<CallResult> {
    if (!this.#result) throw new Error("The call was not started.");
    return this.#result;
  }

  /** What the tool waits to hear from the client. */
  get questions(): InputRequests {
    return Object.fromEntries([...this.#questions].map(([key, { request }]) => [key, request]));
  }

  /** The last word of the tool on how far it is. */
  get progress(): Progress | undefined {
    return this.#progress;
  }

  /** What a call of this conversation is made with. */
  get options(): InvokeOptions {
    return {
      signal: this.signal,
      onStart: (callId) => this.#begun.resolve(callId),
      onProgress: (progress) => {
        this.#progress = progress;
        this.#exchange.onProgress(progress);
      },
      onOutput: (text) => this.#exchange.onOutput(text),
      onLog: (level, message) => this.#exchange.onLog(level, message),
      capabilities: [provideClient(this)],
    };
  }

  can(feature: ClientFeature): boolean {
    return this.#exchange.can(feature);
  }

  start(run: (conversation: CallConversation) => Promise<CallResult>): Promise<Round> {
    this.#attach(this.#exchange);
    this.#result = run(this);
    return this.#round();
  }

  /** Hands over the answers of a later request; questions that it leaves out are asked again. */
  resume(exchange: Exchange): Promise<Round> {
    this.#attach(exchange);
    this.#takeAnswers();
    if (this.#questions.size === 0) this.#asked = Promise.withResolvers();
    return this.#round();
  }

  /** The client does not wait for this call any more: it asks for questions, answers them and asks for the ending in requests of their own. */
  leave(): void {
    this.#exchange.close();
    this.#detach();
  }

  /** Hands over answers of a client that left. What answers no open question is dropped. */
  answer(responses: Readonly<Record<string, unknown>>): void {
    this.#answers = { ...responses };
    this.#takeAnswers();
    this.#answers = {};
  }

  #takeAnswers(): void {
    for (const [key, question] of this.#questions) {
      const answer = this.#takeAnswer(question.request, key);
      if (!answer) continue;
      this.#questions.delete(key);
      question.resolve(answer);
    }
  }

  /** Waits for the client's answer; one that came with the request already is taken as it is. Rejects when `signal` aborts. */
  ask(key: string, request: InputRequest, signal: AbortSignal): Promise<Answer> {
    const given = this.#takeAnswer(request, key);
    if (given) return Promise.resolve(given);
    if (this.#questions.has(key)) {
      return Promise.reject(new Error(`The client is being asked "${key}" already. Give each question its own key.`));
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#questions.delete(key);
        reject(signal.reason);
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      const settle = (answer: Answer) => {
        signal.removeEventListener("abort", onAbort);
        resolve(answer);
      };
      this.#questions.set(key, { request, resolve: settle });
      // In a later task, so that questions asked side by side go out in one round.
      setImmediate(() => this.#asked.resolve());
    });
  }

  end(reason: string): void {
    this.#abort.abort(new Error(reason));
  }

  async #round(): Promise<Round> {
    const result = await Promise.race([this.#result, this.#asked.promise]);
    this.#exchange.close();
    // The signal of a request that is answered aborts with its connection and says nothing more of the call.
    if (result || !this.#exchange.staysOpen) this.#detach();
    if (result) return { result };
    return { questions: this.questions };
  }

  #takeAnswer(request: InputRequest, key: string): Answer | undefined {
    if (!Object.hasOwn(this.#answers, key) || inputResponse(this.#answers, key).kind !== kinds[request.method]) return undefined;
    const answer = this.#answers[key] as Answer;
    delete this.#answers[key];
    return answer;
  }

  #attach(exchange: Exchange): void {
    this.#detach();
    this.#exchange = exchange;
    this.#answers = { ...exchange.inputResponses };
    const onAbort = () => this.end("The client cancelled the call or went away.");
    if (exchange.signal.aborted) onAbort();
    exchange.signal.addEventListener("abort", onAbort, { once: true });
    this.#detach = () => exchange.signal.removeEventListener("abort", onAbort);
  }
}

const kinds: Record<InputRequest["method"], ReturnType<typeof inputResponse>["kind"]> = {
  "elicitation/create": "elicit",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/** One request of a client while it is open: what it carries, and the way back for what happens before the answer. */
export interface Exchange {
  readonly capabilities: ClientCapabilities | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  readonly signal: AbortSignal;
  /** True when the request stays open while the client is asked: in sessions of 2025-era clients. */
  readonly staysOpen: boolean;
  /** True when the client asked for word of progress. */
  readonly hearsProgress: boolean;
  can(feature: ClientFeature): boolean;
  readonly onProgress: NonNullable<InvokeOptions["onProgress"]>;
  readonly onOutput: NonNullable<InvokeOptions["onOutput"]>;
  readonly onLog: NonNullable<InvokeOptions["onLog"]>;
  /** The last word of progress; undefined before the first. */
  lastProgress(): number | undefined;
  /** After this nothing more is sent. */
  close(): void;
}

interface ExchangeOptions {
  /** The capabilities of the session; a 2026-07-28 request carries its own. */
  readonly declared: ClientCapabilities | undefined;
  readonly logger: string;
  readonly clock: Clock;
  readonly progressMs: number;
  /** What happens meanwhile, as the beginning of "… for 10 s". */
  readonly doing?: string | undefined;
  /** The last word of progress of the exchange that this one follows on. */
  readonly after?: number | undefined;
}

const levels: Record<Parameters<NonNullable<InvokeOptions["onLog"]>>[0], LoggingLevel> = {
  debug: "debug",
  info: "info",
  warn: "warning",
  error: "error",
};

export function openExchange(ctx: ServerContext, { declared, logger, clock, progressMs, doing, after }: ExchangeOptions): Exchange {
  const capabilities = declaredCapabilities(ctx) ?? declared;
  const progressToken = ctx.mcpReq._meta?.progressToken;
  const progress =
    progressToken === undefined
      ? undefined
      : reportProgress({
          clock,
          everyMs: progressMs,
          ...{ doing, after },
          send: (word) =>
            void ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...word } }).catch(ignoreLostClient),
        });
  let open = true;
  return {
    capabilities,
    inputResponses: ctx.mcpReq.inputResponses,
    signal: ctx.mcpReq.signal,
    staysOpen: ctx.mcpReq.envelope === undefined,
    hearsProgress: progress !== undefined,
    can: (feature) => supports(capabilities, feature),
    onProgress: (said) => progress?.onProgress(said),
    onOutput: (text) => progress?.onOutput(text),
    onLog(level, message) {
      if (open) ctx.mcpReq.log(levels[level], message, logger).catch(ignoreLostClient);
    },
    lastProgress: () => progress?.last() ?? after,
    close() {
      open = false;
      progress?.close();
    },
  };
}

const capabilityOf: Record<ClientFeature, (capabilities: ClientCapabilities) => object | undefined> = {
  elicit: ({ elicitation }) => (elicitation && (elicitation.form || !elicitation.url) ? elicitation : undefined),
  sample: ({ sampling }) => sampling,
  roots: ({ roots }) => roots,
  tasks: ({ extensions }) => (extensions && Object.hasOwn(extensions, tasksExtension) ? extensions[tasksExtension] : undefined),
};

export function supports(capabilities: ClientCapabilities | undefined, feature: ClientFeature): boolean {
  return capabilities !== undefined && capabilityOf[feature](capabilities) !== undefined;
}

/** The capabilities in the envelope of a 2026-07-28 request; the SDK checked their form. */
export function declaredCapabilities(ctx: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> | undefined = ctx.mcpReq.envelope;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}

/** A notification to a client that is gone is lost by definition; its call is cancelled by the signal. */
function ignoreLostClient(): void {}

/** The client capabilities that are declared by the effect and missing, in MCP's terms; undefined when none is. */
export function missingCapabilities(effect: ClientEffect, capabilities: ClientCapabilities | undefined): ClientCapabilities | undefined {
  const missing: ClientCapabilities = {};
  for (const feature of effect) {
    if (supports(capabilities, feature)) continue;
    if (feature === "elicit") missing.elicitation = { form: {} };
    if (feature === "sample") missing.sampling = {};
    if (feature === "roots") missing.roots = {};
    if (feature === "tasks") missing.extensions = { [tasksExtension]: {} };
  }
  return Object.keys(missing).length > 0 ? missing : undefined;
}

/** Gives one call its client. */
function provideClient(conversation: CallConversation): CapabilityProvider<"client"> {
  return { ...clientCapability, open: (_, { signal }) => connectedClient(conversation, signal) };
}

function connectedClient(conversation: CallConversation, signal: AbortSignal): ConnectedClient {
  const ask = (feature: ClientFeature, key: string | undefined, request: InputRequest) => {
    if (conversation.can(feature)) return conversation.ask(key ?? feature, request, signal);
    throw new ToolwrightError(
      "effect_refused",
      `The connected client does not offer "${feature}". Use a client that does, or call the tool without it.`,
    );
  };
  return {
    can: (feature) => conversation.can(feature),
    async elicit({ key, message, schema }) {
      const params = { mode: "form" as const, message, requestedSchema: schema };
      const answer = await ask("elicit", key, { method: "elicitation/create", params });
      const { action, content } = answer as unknown as ElicitAnswer;
      return { action, content: action === "accept" && content ? content : {} };
    },
    async sample({ key, ...params }) {
      return ask("sample", key, { method: "sampling/createMessage", params });
    },
    async roots(request) {
      const answer = await ask("roots", request?.key, { method: "roots/list", params: {} });
      return answer.roots as Awaited<ReturnType<ConnectedClient["roots"]>>;
    },
  };
}
