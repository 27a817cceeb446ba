import { ToolwrightError } from "@toolwright/engine";
import { readBytes } from "../../http/read-body.ts";
import { WrittenResponse } from "../../http/written-response.ts";
import type { RestParts } from "../door-options.ts";
import { problem, problemOf } from "../problem.ts";
import { malformed, parseJson, tooLarge } from "../read-json.ts";
import type { VerifiedWebhook, Webhooks } from "./webhooks.ts";

const maxBytes = 1_000_000;
/** Of what a sender may name a webhook: no spaces, so that it is no key of anybody else. */
const ids = /^[\x21-\x7e]{1,255}$/;

/** Answers webhooks, which come without credentials: 202 as soon as the call is a job. Undefined for every other request. */
export function serveWebhooks(webhooks: Webhooks, parts: RestParts): (request: Request) => Promise<Response> | undefined {
  const base = `${parts.base}/hooks/`;
  return (request) => {
    if (request.method !== "POST") return undefined;
    const { pathname } = new URL(request.url);
    const hook = pathname.slice(base.length);
    return pathname.startsWith(base) && /^[\w-]+$/.test(hook) ? receive(hook, request, { webhooks, parts }) : undefined;
  };
}

interface Receiving {
  readonly webhooks: Webhooks;
  readonly parts: RestParts;
}

async function receive(hook: string, request: Request, { webhooks, parts }: Receiving): Promise<Response> {
  const body = await readBytes(request, maxBytes);
  if (!body) return tooLarge(maxBytes);
  const header = (name: string) => request.headers.get(`webhook-${name}`) ?? "";
  const id = header("id");
  const sent = ids.test(id) && (await webhooks.verify(hook, { id, timestamp: header("timestamp"), signature: header("signature"), body }));
  if (!sent) return unknown();
  if (!sent.isFresh) return malformed("It was not signed within the last five minutes. Sign it anew, and check the clock.");
  const text = textOf(body);
  if (text === undefined) return malformed("The body is not valid UTF-8.");
  const read = parseJson(text, parts.limits);
  if (read instanceof Response) return read;
  return enqueue(sent, id, { text, parts });
}

/** The same for a hook that there is not and for one whose secret did not sign. */
const unknown = () => problem({ code: "catalogue_not_found", message: "There is no such hook, or its secret did not sign the request." });

function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

interface Sent {
  readonly text: string;
  readonly parts: RestParts;
}

/** One that comes again finds the job that there is. */
async function enqueue({ principal, call }: VerifiedWebhook, idempotencyKey: string, { text, parts }: Sent): Promise<Response> {
  try {
    const { id } = await parts.engine.operate(principal, "jobs.enqueue", { ...call(text), idempotencyKey });
    return WrittenResponse.json({ job: id }, { status: 202, headers: { "cache-control": "no-store" } });
  } catch (error) {
    if (ToolwrightError.is(error)) return problemOf(error);
    throw error;
  }
}
