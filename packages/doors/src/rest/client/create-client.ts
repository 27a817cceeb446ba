import type { ToolTypes } from "@toolwright/engine";
import type { OperationName } from "@toolwright/engine/operations";
import { writeRequest } from "../write-request.ts";
import type { AnyTools, CallEvent, Client, ClientOptions, RequestOptions, StreamOptions, WaitingOptions } from "./client-types.ts";
import { followEvents } from "./follow-events.ts";
import { readEvents } from "./read-events.ts";
import { RequestError } from "./request-error.ts";
import { bodyOf, createSend, readJson, type Send, type Sent } from "./send.ts";

/**
 * Makes a client of a server's REST door.
 *
 * @typeParam Types - of the server's tools: `TypesOf<typeof tools>`. Default: any name, any input, any JSON.
 *
 * @example examples/rest-client/main.ts#call
 * ```ts
 * const client = createClient<TypesOf<typeof tools>>({ url, key: "ann-secret" });
 *
 * const counted = await client.call("word_count", { path: "notes.txt" });
 * if (counted.status === "done") console.log(`${counted.output.words} words`);
 *
 * const { items } = await client.operate("tools.list", {});
 * console.log(`${items.length} tools, ${items.filter(({ hints }) => hints.readOnlyHint).length} of which change nothing`);
 * ```
 */
export function createClient<Types extends ToolTypes = AnyTools>(options: ClientOptions): Client<Types> {
  const send = createSend(options);
  const client: Client = {
    operate: async (name, input, given) => readJson(await send(operationRequest(name, input, given))),
    follow: (name, input, given) =>
      followEvents(operationRequest(name, input, given), send, { clock: options.clock, onLost: given?.onLost }) as AsyncIterable<never>,
    call: async (name: string, input: unknown, given?: Partial<WaitingOptions>) =>
      readJson<never>(await send(callRequest(toolPath(name), input, given))),
    stream: (name, input, given) => streamCall(callRequest(toolPath(name), input, given), send),
    resume: async (approvalId, given) => readJson(await send(callRequest(resumePath(approvalId), {}, given))),
    streamResumed: (approvalId, given) => streamCall(callRequest(resumePath(approvalId), {}, given), send),
    async cancel(callId, given) {
      await send({ method: "POST", path: `/runs/${encodeURIComponent(callId)}/cancel`, headers: headersOf(given), signal: given?.signal });
    },
    beginTurn: async (agent, request, given) =>
      readJson(await send(callRequest(`/agents/${encodeURIComponent(agent)}/turns`, request, { ...given, wait: 0 }))),
    artifact(id, { range, ...given } = {}) {
      const wanted = range && `bytes=${range.offset}-${range.offset + range.length - 1}`;
      const headers = { ...headersOf(given), range: wanted, accept: "*/*" };
      return send({ method: "GET", path: `/artifacts/${encodeURIComponent(id)}/content`, headers, signal: given.signal });
    },
  };
  // The schemas of the server check what the types promise.
  return client as unknown as Client<Types>;
}

const toolPath = (name: string) => `/tools/${encodeURIComponent(name)}/call`;
const resumePath = (approvalId: string) => `/approvals/${encodeURIComponent(approvalId)}/run`;

async function* streamCall({ headers, ...request }: Sent, send: Send): AsyncGenerator<CallEvent> {
  const response = await send({ ...request, headers: { ...headers, accept: "text/event-stream" } });
  for await (const { event, data } of readEvents(bodyOf(response))) {
    yield { event, data: JSON.parse(data) } as CallEvent;
    if (event === "result") return;
  }
  throw new RequestError("connection_failed", "The call was cut off before its result. Its run tells what became of it.");
}

function operationRequest(name: OperationName, input: object, given: RequestOptions = {}): Sent {
  return { ...writeRequest(name, input), headers: headersOf(given), signal: given.signal };
}

function callRequest(path: string, input: unknown, given: Partial<WaitingOptions> & StreamOptions = {}): Sent {
  const { attachments = [], idempotencyKey, wait, runsOn = false, wholeResult = false, signal } = given;
  const json = JSON.stringify(input);
  const headers = {
    ...headersOf(given),
    "idempotency-key": idempotencyKey,
    prefer:
      [
        ...(runsOn ? ["respond-async"] : wait === undefined ? [] : [`wait=${wait}`]),
        ...(wholeResult ? ["return=representation"] : []),
      ].join() || undefined,
  };
  return { method: "POST", path, body: attachments.length === 0 ? json : toForm(json, attachments), headers, signal };
}

/** The platform writes the media type of a form, with its boundary. */
function toForm(json: string, attachments: readonly File[]): FormData {
  const form = new FormData();
  form.set("input", json);
  for (const [index, file] of attachments.entries()) form.append(`file${index}`, file);
  return form;
}

function headersOf({ session }: RequestOptions = {}): Readonly<Record<string, string | undefined>> {
  return { "toolwright-session": session };
}
