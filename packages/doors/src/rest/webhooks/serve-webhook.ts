import { type Json, ToolwrightError } from "@toolwright/engine";
import { readChunks } from "../../http/read-body.ts";
import { WrittenResponse } from "../../http/written-response.ts";
import type { RestParts } from "../door-options.ts";
import { problem, problemOf } from "../problem.ts";
import { malformed, parseJson, tooLarge } from "../read-json.ts";
import type { VerifiedWebhook, Webhooks } from "./webhooks.ts";

const maxBytes = 1_000_000;

/** Answers webhooks, which come without credentials: 202 as soon as the call is a job. Undefined for every other request. */
export function serveWebhooks(webhooks: Webhooks, parts: RestParts): (request: Request) => Promise<Response> | undefined {
  const base = `${parts.base}/hooks/`;
  return (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const hook = pathname.slice(base.length);
    if (!pathname.startsWith(base) || !/^[\w-]+$/.test(hook)) return undefined;
    if (request.method === "POST") return receive(hook, request, { webhooks, parts });
    return request.method === "GET" ? confirm(hook, searchParams, webhooks) : undefined;
  };
}

async function confirm(hook: string, query: URLSearchParams, webhooks: Webhooks): Promise<Response> {
  const text = await webhooks.confirm(hook, query);
  if (text === undefined) return unknown();
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff", "cache-control": "no-store" };
  return new WrittenResponse(text, { headers });
}

async function receive(
  hook: string,
  request: Request,
  { webhooks, parts }: { readonly webhooks: Webhooks; readonly parts: RestParts },
): Promise<Response> {
  const chunks = await readChunks(request, maxBytes);
  if (!chunks) return tooLarge(maxBytes);
  const body = Buffer.concat(chunks);
  const sent = await webhooks.verify(hook, { header: (name) => request.headers.get(name) ?? "", body });
  if (!sent) return unknown();
  if (!sent.isFresh) return malformed("It was not signed within the last five minutes. Sign it anew, and check the clock.");
  const text = textOf(body);
  if (text === undefined) return malformed("The body is not valid UTF-8.");
  const read = parseJson(text, parts.limits);
  return read instanceof Response ? read : enqueue(sent, { text, json: read.json as Json, parts });
}

/** One answer for an unknown hook and for a wrong signature, so that nobody learns which hooks exist. */
const unknown = () => problem({ code: "catalogue_not_found", message: "There is no such hook, or its secret did not sign the request." });

function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** One that comes again finds the job that there is. */
async function enqueue(
  { principal, id: idempotencyKey, call }: VerifiedWebhook,
  { text, json, parts }: { readonly text: string; readonly json: Json; readonly parts: RestParts },
): Promise<Response> {
  const wanted = call(text, json);
  if (!wanted) return accepted({});
  try {
    const { id } = await parts.engine.operate(principal, "jobs.enqueue", { ...wanted, idempotencyKey });
    return accepted({ job: id });
  } catch (error) {
    if (ToolwrightError.is(error)) return problemOf(error);
    throw error;
  }
}

const accepted = (what: object) => WrittenResponse.json(what, { status: 202, headers: { "cache-control": "no-store" } });
