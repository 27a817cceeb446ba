import { type InputRequest, type InputRequests, inputResponse } from "@modelcontextprotocol/server";
import type { CallResult } from "@toolwright/engine";
import type { ClientFeature } from "../client.ts";
import type { Exchange } from "./exchange.ts";

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
    for (const [key, question] of this.#questions) {
      const answer = this.#takeAnswer(question.request, key);
      if (!answer) continue;
      this.#questions.delete(key);
      question.resolve(answer);
    }
    if (this.#questions.size === 0) this.#asked = Promise.withResolvers();
    return this.#round();
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
    return { questions: Object.fromEntries([...this.#questions].map(([key, { request }]) => [key, request])) };
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
