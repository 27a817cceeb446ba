import type { CallResult, InvokeOptions, Json, Principal } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine";
import type { MakeCall } from "../../detached-calls.ts";
import { ownerOf } from "../../http/owners.ts";
import { WrittenResponse } from "../../http/written-response.ts";
import { readPreference } from "../call/prefer.ts";
import { readCall } from "../call/read-call.ts";
import { asCaller, type CallParts, readCallHeaders } from "../call/serve-call.ts";
import { writeResult } from "../call/write-result.ts";
import type { RestParts, TurnCall, TurnCalls } from "../door-options.ts";
import { problem, problemOf } from "../problem.ts";
import { malformed } from "../read-json.ts";
import { type RestRequest, streamFollowed } from "../serve-operation.ts";
import type { StreamAccess } from "../watch-access.ts";

type Handler = (asked: RestRequest) => Promise<Response>;

/** Routes on which a turn begins, and is watched, as the AI SDK's UI message stream v1. */
export function turnRoutes(turns: TurnCalls, parts: CallParts): readonly (readonly [method: string, path: string, handler: Handler])[] {
  return [
    ["POST", "/agents/{agent}/turns", answering(beginTurn(turns, parts))],
    ["GET", "/turns/{id}/stream", answering(watchTurn(parts))],
  ];
}

/** A refusal of the engine is an answer. */
function answering(handler: Handler): Handler {
  return async (asked) => {
    try {
      return await handler(asked);
    } catch (error) {
      if (ToolwrightError.is(error)) return problemOf(error);
      throw error;
    }
  };
}

/** The turn goes on when its client leaves. */
function beginTurn(turns: TurnCalls, parts: CallParts): Handler {
  return async ({ request, principal, params: { agent = "" } }) => {
    const read = await readCall(request, parts.limits);
    if (read instanceof Response) return read;
    const { input, attachments } = read;
    if (typeof input !== "object" || input === null || Array.isArray(input)) return malformed("The body is not a JSON object.");
    const given = readCallHeaders(request);
    if (given instanceof Response) return given;
    const refused = parts.detached.refuse(ownerOf(principal));
    if (refused) return problem(refused);
    const scope = await asCaller(parts, principal, request);
    if (scope instanceof Response) return scope;
    const make: MakeCall = (options) => scope.invokeNamed(turns.tool, { ...input, agent }, { ...options, ...given, attachments });
    const begun = await findTurn(make, { turns, caller: { principal: scope.principal, key: given.idempotencyKey }, parts });
    if (typeof begun !== "string") return writeResult(begun, parts.base);
    if (readPreference(request.headers).waitMs === 0) return writeTurn(begun, await personAt({ request, principal }, parts), parts);
    return streamTurn({ id: begun }, { request, principal }, parts);
  };
}

function watchTurn(parts: RestParts): Handler {
  return async ({ request, principal, params: { id = "" } }) => {
    const after = request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("after");
    return streamTurn({ id, ...(after !== null && { after }) }, { request, principal }, parts);
  };
}

const personAt = async ({ request, principal }: StreamAccess, { operator, callerOf }: RestParts) =>
  callerOf(await operator(principal, request), request);

interface Finding {
  readonly turns: TurnCalls;
  readonly caller: Omit<TurnCall, "callId">;
  readonly parts: CallParts;
}

/** Makes the call. Resolves to the id of the turn that has its message, or to how a call ended that came to none. */
function findTurn(make: MakeCall, { turns, caller, parts }: Finding): Promise<string | CallResult> {
  const ended = new AbortController();
  return new Promise((resolve, reject) => {
    let found: Promise<string | undefined> | undefined;
    const onStart: InvokeOptions["onStart"] = (callId) => {
      found = turns.turnOf({ ...caller, callId }, ended.signal);
      found.then((id) => id !== undefined && resolve(id), reject);
    };
    const conclude = async (result: CallResult) => {
      ended.abort();
      resolve((await found) ?? turnIn(result) ?? result);
    };
    parts.detached.start(ownerOf(caller.principal), make, { onStart }).then(conclude).catch(reject);
  });
}

/** Another turn took the message up, or the call is an earlier one's repetition. */
function turnIn(result: CallResult): string | undefined {
  const output: Json = result.status === "done" ? result.output : null;
  return typeof output === "object" && output !== null && "turn" in output && typeof output.turn === "string" ? output.turn : undefined;
}

async function writeTurn(id: string, caller: Principal, { engine, base }: RestParts): Promise<Response> {
  const headers = { location: `${base}/turns/${id}/stream`, "preference-applied": "respond-async", "cache-control": "no-store" };
  return WrittenResponse.json(await engine.operate(caller, "turns.get", { id }), { status: 202, headers });
}

interface Watched {
  readonly position: number;
  readonly chunks: readonly Json[];
}

async function streamTurn(
  input: { readonly id: string; readonly after?: string },
  access: StreamAccess,
  parts: RestParts,
): Promise<Response> {
  const caller = await personAt(access, parts);
  const response = await streamFollowed({ operation: "turns.watch", input, caller, access, parts }, async (items, { send }, signal) => {
    try {
      for await (const { position, chunks } of items as AsyncIterable<Watched>)
        for (const [index, chunk] of chunks.entries()) send({ ...(index === 0 && { id: String(position) }), data: chunk });
    } catch (error) {
      if (!ToolwrightError.is(error)) throw error;
      // Of the AI SDK's UI message stream v1.
      send({ data: { type: "error", errorText: error.message } });
    }
    // A server that closes has not shown all of it.
    if (!signal.aborted) send({ text: "[DONE]" });
  });
  if (response.ok) response.headers.set("x-vercel-ai-ui-message-stream", "v1");
  return response;
}
