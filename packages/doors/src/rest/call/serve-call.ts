import { type InvokeOptions, type Principal, type Scope, ToolwrightError } from "@toolwright/engine";
import type { Clock, TraceContext } from "@toolwright/engine/ports";
import type { DetachedCalls, MakeCall } from "../../detached-calls.ts";
import { ownerOf, principalKey } from "../../http/owners.ts";
import { WrittenResponse } from "../../http/written-response.ts";
import type { RestParts } from "../door-options.ts";
import { streamEvents } from "../event-stream.ts";
import { problem, problemOf } from "../problem.ts";
import { malformed } from "../read-json.ts";
import type { RestRequest } from "../serve-operation.ts";
import { sessionNameOf } from "../session-of.ts";
import { refuseInternal } from "./internal-fields.ts";
import { type Preference, readPreference } from "./prefer.ts";
import { readCall } from "./read-call.ts";
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
    const scope = await asCaller(parts, principal, request);
    if (scope instanceof Response) return scope;
    const name = params.name ?? "";
    const refused = refuseInternal(name, input, { scope, caller: parts.callerOf(principal, request) });
    if (refused) return refused;
    const make: MakeCall = (options) => scope.invokeNamed(name, input, { ...options, attachments, takeUpWaiting: true });
    return answerTraced({ request, principal, make }, parts);
  };
}

/** Serves `POST /approvals/{id}/run`: an approved call runs, once. */
export function serveResume(parts: CallParts): (asked: RestRequest) => Promise<Response> {
  return async ({ request, principal, params }) => {
    const scope = await asCaller(parts, await parts.operator(principal, request), request);
    if (scope instanceof Response) return scope;
    return answerTraced({ request, principal, make: (options) => scope.resume(params.id ?? "", options) }, parts);
  };
}

/** Serves `POST /runs/{id}/cancel`: a call that its caller left ends. How it ended, its run tells. */
export function serveCancel({ base, detached }: CallParts): (asked: RestRequest) => Promise<Response> {
  return async ({ principal, params: { id: callId = "" } }) => {
    const run = `${base}/runs/${callId}`;
    if (detached.cancel(ownerOf(principal), callId))
      return WrittenResponse.json({ status: "cancelling", callId, run }, { status: 202, headers: { "cache-control": "no-store" } });
    const message = `No call ${JSON.stringify(callId)} of yours runs on by itself at this server. Its run tells how it ended.`;
    return problem({ code: "call_not_found", message });
  };
}

/**
 * In the session that the request names, or in one of the caller's own; the answer that refuses it for one that is not the caller's to use. Nobody is
 * asked in the middle of a request: what asks waits as an approval.
 */
export async function asCaller({ engine, callerOf }: RestParts, principal: Principal, request: Request): Promise<Scope | Response> {
  const caller = callerOf(principal, request);
  const name = sessionNameOf(request) ?? `rest-${principalKey(principal).slice(0, 16)}`;
  try {
    return engine.scope(caller, { session: await engine.openSession(caller, name) });
  } catch (error) {
    if (ToolwrightError.is(error)) return problemOf(error);
    throw error;
  }
}

interface AskedCall extends Pick<RestRequest, "request" | "principal"> {
  readonly make: MakeCall;
}

/** The answer says where the trace of the call is, where somebody records it. */
async function answerTraced(asked: AskedCall, parts: CallParts): Promise<Response> {
  let trace: TraceContext | undefined;
  const onTrace = (context: TraceContext) => {
    trace = context;
  };
  const response = await answerCall({ ...asked, make: (options) => asked.make({ ...options, onTrace }) }, parts);
  for (const [name, value] of Object.entries(trace ?? {})) response.headers.set(name, value);
  return response;
}

async function answerCall({ request, principal, make }: AskedCall, parts: CallParts): Promise<Response> {
  const given = readCallHeaders(request);
  if (given instanceof Response) return given;
  const preference = readPreference(request.headers);
  const streaming = { clock: parts.clock, isWhole: preference.isWhole };
  const isStreamed = request.headers.get("accept")?.includes("text/event-stream") === true;
  const keyed: MakeCall = (options) => make({ ...options, ...given });
  if (preference.waitMs === undefined)
    return isStreamed ? streamCall(keyed, streaming) : writeResult(await keyed({ signal: request.signal }), parts.base);
  const { detached } = parts;
  const owner = ownerOf(principal);
  const refused = detached.refuse(owner);
  if (refused) return problem(refused);
  const held: MakeCall = (options) => detached.start(owner, keyed, options);
  return isStreamed ? streamCall(held, streaming) : answerSoon(held, preference, parts);
}

/** What the headers of a request say of its call, or the answer that refuses them. */
export function readCallHeaders(request: Request): Pick<InvokeOptions, "idempotencyKey" | "trace"> | Response {
  const idempotencyKey = request.headers.get("idempotency-key") ?? undefined;
  if (idempotencyKey !== undefined && (idempotencyKey.length === 0 || idempotencyKey.length > 255))
    return malformed("The Idempotency-Key is not 1 to 255 characters.");
  return { ...traceOf(request), ...(idempotencyKey !== undefined && { idempotencyKey }) };
}

/** The trace of the call goes on from the caller's (W3C Trace Context). */
function traceOf({ headers }: Request): Pick<InvokeOptions, "trace"> {
  const [traceparent, tracestate] = [headers.get("traceparent"), headers.get("tracestate")];
  return traceparent === null ? {} : { trace: { context: { traceparent, ...(tracestate !== null && { tracestate }) } } };
}

interface Streaming {
  readonly clock: Clock;
  /** True: the result holds what was streamed as output, too. */
  readonly isWhole: boolean;
}

/**
 * A call as a stream: `started` with its id, `progress`, `log` and `output` while it runs, and its `result`. A client that leaves cancels it, unless
 * it was to run on.
 */
function streamCall(make: MakeCall, { clock, isWhole }: Streaming): Response {
  return streamEvents(async ({ send }, signal) => {
    const options: InvokeOptions = {
      signal,
      showsOutput: !isWhole,
      onStart: (callId) => send({ event: "started", data: { callId } }),
      onProgress: (progress) => send({ event: "progress", data: progress }),
      onLog: (level, message) => send({ event: "log", data: { level, message } }),
      onOutput: (text) => send({ event: "output", data: { text } }),
    };
    send({ event: "result", data: await make(options) });
  }, clock);
}

/** The ending where it comes in time, or where the call does not run; else where the run is found. */
async function answerSoon(make: MakeCall, { waitMs = 0, applied }: Preference, { base, clock }: CallParts): Promise<Response> {
  return new Promise((resolve, reject) => {
    let stop = () => {};
    const onStart = (callId: string) => {
      const leave = () => {
        const run = `${base}/runs/${callId}`;
        const headers = { location: run, "preference-applied": applied, "cache-control": "no-store" };
        resolve(WrittenResponse.json({ status: "running", callId, run }, { status: 202, headers }));
      };
      if (waitMs === 0) leave();
      else stop = clock.after(waitMs, leave, { keepAlive: true });
    };
    make({ onStart }).then((result) => {
      stop();
      resolve(writeResult(result, base));
    }, reject);
  });
}
