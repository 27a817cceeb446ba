import type { CallError } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine";
import { APICallError } from "ai";

/** True for what may be well the next time: too many requests, a server that fails or is away, a connection that broke. */
export function isPassing(error: unknown): boolean {
  if (ToolwrightError.is(error)) return false;
  if (APICallError.isInstance(error)) return error.isRetryable || error.statusCode === undefined;
  return isOfNetwork(error);
}

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
export function describeModelError(error: unknown, model: string): CallError {
  if (ToolwrightError.is(error)) return { code: error.code, message: error.message };
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  const message = `The model ${model} ${sentenceFor(status)}`;
  return { code: "model_unavailable", message, ...(status !== undefined && { details: { status } }) };
}

function sentenceFor(status: number | undefined): string {
  if (status === undefined) return "gave no whole answer. Check that its server runs and speaks the protocol, then send the message again.";
  if (status === 401 || status === 403)
    return `refused the key (HTTP ${status}). Set the secret that holds it anew, then send the message again.`;
  if (status === 404) return "is not known to its provider (HTTP 404). Check the name of the model.";
  if (status === 413) return "was sent more than it takes (HTTP 413). Begin a new conversation, or send less.";
  if (status === 429) return "takes no more requests now (HTTP 429). Send the message again later.";
  if (status >= 500) return `failed (HTTP ${status}). Send the message again later.`;
  return `refused the request (HTTP ${status}). The log of the server has what it said; change the model or the message.`;
}

const broken = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_AGAIN|UND_ERR_)/;

function isOfNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return broken.test(code) || /fetch failed|terminated|network|socket/i.test(error.message) || isOfNetwork(error.cause);
}
