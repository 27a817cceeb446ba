// Not of `ai`, which is loaded with the first turn.
import { APICallError, JSONParseError, TypeValidationError } from "@ai-sdk/provider";
import { type CallError, ToolwrightError } from "@toolwright/engine";
import { type CutReason, describeCut } from "@toolwright/engine/ports";
import type { FailureWords, ModelFailure } from "../models/model-failure.ts";
import { redactReport } from "../models/model-keys.ts";
import type { OpenedModel } from "../models/model-source.ts";

/** The answer ended before it was whole. The cause is what the provider said in it, if it said anything. */
export class AnswerBrokeOff extends Error {
  constructor(cause?: unknown) {
    super("The model's answer broke off.", { cause });
    this.name = "AnswerBrokeOff";
  }
}

/** Nothing came of the answer for too long. */
export class AnswerSilent extends AnswerBrokeOff {}

/** The answer went on and on. */
export class AnswerEndless extends Error {
  constructor(characters: number) {
    super(`The model's answer had more than ${characters} characters.`);
    this.name = "AnswerEndless";
  }
}

/** The answer says nothing. With the reason, where it was cut off before its first word. */
export class AnswerEmpty extends Error {
  readonly reason: CutReason | undefined;

  constructor(reason?: CutReason) {
    super("The model's answer has no content.");
    this.name = "AnswerEmpty";
    this.reason = reason;
  }
}

/** Which kind of failure it is: by the provider's words, then by its status. */
export function failureOf(error: unknown, words: FailureWords = {}): ModelFailure {
  if (error instanceof AnswerEndless) return "endless";
  if (error instanceof AnswerEmpty) return "empty";
  const { status, text } = whatWasSaid(error);
  for (const [failure, pattern] of Object.entries(words)) if (pattern.test(text)) return failure as ModelFailure;
  return byStatus(status);
}

const statuses: ReadonlyMap<number, ModelFailure> = new Map([
  [401, "key-refused"],
  [402, "quota-spent"],
  [403, "access-refused"],
  [404, "model-unknown"],
  [408, "down"],
  [409, "down"],
  [413, "context-too-long"],
  [429, "busy"],
]);

function byStatus(status: number | undefined): ModelFailure {
  if (status === undefined) return "broken";
  return statuses.get(status) ?? (status >= 500 ? "down" : "refused");
}

/** True for what may be well the next time: too many requests, a server that fails or is away, an answer that broke off. */
export function isPassing(error: unknown, words?: FailureWords): boolean {
  if (ToolwrightError.is(error)) return false;
  const failure = failureOf(error, words);
  if (failure !== "broken") return failure === "busy" || failure === "down";
  return (error instanceof AnswerBrokeOff && !isOfProtocol(error.cause)) || APICallError.isInstance(error) || isOfNetwork(error);
}

/**
 * True where the server itself ended the answer: without a word, or with an error that neither its status nor its words make one that passes. An
 * answer that stays silent, and a connection that breaks, are none.
 */
export function isEndedByServer(error: unknown, words?: FailureWords): boolean {
  if (!(error instanceof AnswerBrokeOff) || error instanceof AnswerSilent) return false;
  return failureOf(error, words) === "broken" && !isOfNetwork(error.cause);
}

/** A server that speaks another protocol does so the next time, too. */
const isOfProtocol = (error: unknown) => TypeValidationError.isInstance(error) || JSONParseError.isInstance(error);

/** Milliseconds that the provider wants to be left alone, if it said so (RFC 9110 section 10.2.3). */
export function retryAfterMs(error: unknown, now: number): number | undefined {
  const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  const ms = Number(headers?.["retry-after-ms"]);
  if (Number.isFinite(ms) && ms > 0) return ms;
  const after = headers?.["retry-after"];
  if (after === undefined) return undefined;
  const seconds = Number(after);
  const wanted = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(after) - now;
  return Number.isFinite(wanted) && wanted > 0 ? wanted : undefined;
}

/** What a person is told; never the provider's own body, which may repeat the key. */
export function describeModelError(error: unknown, { id, words }: Pick<OpenedModel, "id" | "words">): CallError {
  if (ToolwrightError.is(error)) return { code: error.code, message: error.message };
  const { status } = whatWasSaid(error);
  const failure = failureOf(error, words);
  const shown = status === undefined ? "" : ` (HTTP ${status})`;
  const finishReason = error instanceof AnswerEmpty ? error.reason : undefined;
  const cut = finishReason ? ` ${describeCut(finishReason)}` : "";
  const message = `The model ${id} ${sentences[failure].replace("()", shown)}${cut}`;
  const details = { failure, ...(status !== undefined && { status }), ...(finishReason && { finishReason }) };
  return { code: "model_unavailable", message, details };
}

const sentences: Readonly<Record<ModelFailure, string>> = {
  "context-too-long": "was sent more than it takes(). Begin a new conversation, or send less.",
  "key-refused": "refused the key(). Set the secret that holds it anew, then send the message again.",
  "access-refused": "refused access(). Check what the key may use, and that its account has the model.",
  "quota-spent":
    "takes no more requests: the account of its key has no credit left(). Raise the limit at the provider, then send the message again.",
  "model-unknown": "is not known to its provider(). Check the name of the model.",
  "no-tools": "calls no tools(), and agents need one that does. Choose another model.",
  busy: "takes no more requests now(). Send the message again later.",
  down: "failed(). Send the message again later.",
  refused: "refused the request(). The log of the server has what it said; change the model or the message.",
  endless: "did not come to an end of its answer, which was cut off. Ask for less, or use another model.",
  empty: "gave an answer without a word. Send another message, or use another model.",
  broken: "gave no whole answer. Check that its server runs and speaks the protocol, then send the message again.",
};

/** What people read while a model is asked again. */
export function describeWait(error: unknown, { id, words }: Pick<OpenedModel, "id" | "words">, pauseMs: number): string {
  const { status } = whatWasSaid(error);
  const failure = failureOf(error, words);
  const what = failure === "busy" ? "is busy" : failure === "down" ? "failed" : "gave no whole answer";
  return `The model ${id} ${what}${status === undefined ? "" : ` (HTTP ${status})`}. It is asked again in ${Math.ceil(pauseMs / 1000)} s.`;
}

const longestReport = 2_000;

/** What an operator reads in the log: the provider's words without the keys. */
export function reportModelError(error: unknown, { id: model, keys = [] }: Pick<OpenedModel, "id" | "keys">) {
  const { status, text } = whatWasSaid(error);
  return { model, ...(status !== undefined && { status }), said: redactReport(text, keys).slice(0, longestReport) };
}

interface Said {
  readonly status: number | undefined;
  /** Message, code and body. */
  readonly text: string;
}

/** An answer with a status, or an error in the middle of an answer, which the SDK gives as an object. */
function whatWasSaid(error: unknown): Said {
  if (error instanceof AnswerBrokeOff && error.cause !== undefined) return whatWasSaid(error.cause);
  if (APICallError.isInstance(error)) return { status: statusOf(error.statusCode), text: `${error.message}\n${error.responseBody ?? ""}` };
  if (typeof error !== "object" || error === null) return { status: undefined, text: String(error) };
  const { message, code, type, statusCode } = error as Readonly<Record<string, unknown>>;
  const words = [message, code, type].filter((word) => typeof word === "string");
  return { status: statusOf(statusCode) ?? statusOf(code), text: words.join("\n") };
}

/** An answer that breaks off has begun well: its 200 says nothing of the failure. */
const statusOf = (value: unknown) => (typeof value === "number" && value >= 400 && value < 600 ? value : undefined);

const broken = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_AGAIN|UND_ERR_)/;

function isOfNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return broken.test(code) || /fetch failed|terminated|network|socket/i.test(error.message) || isOfNetwork(error.cause);
}
