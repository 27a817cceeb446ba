import type { CallResult, Principal, Scope } from "@toolwright/engine";
import { ownerOf, principalKey } from "../../http/owners.ts";
import type { RestParts } from "../door-options.ts";
import { malformed } from "../read-json.ts";
import type { RestRequest } from "../serve-operation.ts";
import { sessionOf } from "../session-of.ts";
import type { DetachedCalls } from "./detached-calls.ts";
import type { MakeCall } from "./make-call.ts";
import { type Preference, readPreference } from "./prefer.ts";
import { readCall } from "./read-call.ts";
import { streamCall } from "./stream-call.ts";
import { writeResult } from "./write-result.ts";

export interface CallParts extends RestParts {
  readonly detached: DetachedCalls;
}

/** Serves `POST /tools/{name}/call`. */
export function serveCall(parts: CallParts): (asked: RestRequest) => Promise<Response> {
  return async ({ request, principal, params }) => {
    const read = await readCall(request, parts.limits);
    if (read instanceof Response) return read;
    const { input, attachments } = read;
    const scope = scopeOf(parts, principal, request);
    const make: MakeCall = (options) => scope.invokeNamed(params.name ?? "", input, { ...options, attachments, takeUpWaiting: true });
    return answerCall({ request, principal, make }, parts);
  };
}

/** Serves `POST /approvals/{id}/run`: an approved call runs, once. */
export function serveResume(parts: CallParts): (asked: RestRequest) => Promise<Response> {
  return async ({ request, principal, params }) => {
    const scope = scopeOf(parts, await parts.operator(principal, request), request);
    return answerCall({ request, principal, make: (options) => scope.resume(params.id ?? "", options) }, parts);
  };
}

/** Nobody is asked in the middle of a request: what asks waits as an approval. */
function scopeOf({ engine }: RestParts, principal: Principal, request: Request): Scope {
  const session = sessionOf(request) ?? `rest-${principalKey(principal).slice(0, 16)}`;
  return engine.scope({ ...principal, door: "rest", source: "api" }, { session });
}

interface AskedCall extends Pick<RestRequest, "request" | "principal"> {
  readonly make: MakeCall;
}

async function answerCall({ request, principal, make }: AskedCall, parts: CallParts): Promise<Response> {
  const key = request.headers.get("idempotency-key");
  if (key !== null && (key.length === 0 || key.length > 255)) return malformed("The Idempotency-Key is not 1 to 255 characters.");
  const preference = readPreference(request.headers);
  const keyed = key === null ? {} : { idempotencyKey: key };
  const isDetached = preference.waitMs !== undefined;
  const refused = isDetached ? parts.detached.refuse(ownerOf(principal)) : undefined;
  if (refused) return refused;
  const signal = isDetached ? parts.detached.signal : request.signal;
  const hold = (call: Promise<CallResult>) => {
    if (isDetached) parts.detached.hold(ownerOf(principal), call);
    return call;
  };
  if (request.headers.get("accept")?.includes("text/event-stream"))
    return streamCall((options) => hold(make({ ...keyed, ...options, signal: isDetached ? signal : options.signal! })), parts.clock);
  if (!isDetached) return writeResult(await make({ ...keyed, signal }), parts.base);
  return answerSoon((options) => hold(make({ ...keyed, ...options, signal })), preference, parts);
}

/** The ending where it comes in time, or where the call does not run; else where the run is found. */
async function answerSoon(make: MakeCall, { waitMs = 0, applied }: Preference, { base, clock }: CallParts): Promise<Response> {
  return new Promise((resolve, reject) => {
    let stop = () => {};
    const onStart = (callId: string) => {
      const leave = () => {
        const run = `${base}/runs/${callId}`;
        const headers = { location: run, "preference-applied": applied, "cache-control": "no-store" };
        resolve(Response.json({ status: "running", callId, run }, { status: 202, headers }));
      };
      stop = clock.after(waitMs, leave, { keepAlive: true });
    };
    make({ onStart }).then((result) => {
      stop();
      resolve(writeResult(result, base));
    }, reject);
  });
}
