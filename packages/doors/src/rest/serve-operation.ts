import { type Principal, ToolwrightError } from "@toolwright/engine";
import type { Operation, OperationEntry, OperationRoute } from "@toolwright/engine/operations";
import { ownerOf } from "../http/owners.ts";
import { WrittenResponse } from "../http/written-response.ts";
import type { RestParts } from "./door-options.ts";
import { type EventSink, streamEvents } from "./event-stream.ts";
import { problem, problemOf } from "./problem.ts";
import { malformed, readJson } from "./read-json.ts";
import { sessionNameOf } from "./session-of.ts";
import { type StreamAccess, watchAccess } from "./watch-access.ts";

type Members = Readonly<Record<string, unknown>>;

export interface RestRequest {
  readonly request: Request;
  readonly principal: Principal;
  readonly params: Readonly<Record<string, string>>;
}

/** Serves one operation: its input is put together from the path, the query or the body, and `If-Match`. */
export function serveOperation({ name: operation, route }: OperationEntry, parts: RestParts): (asked: RestRequest) => Promise<Response> {
  return async ({ request, principal, params }) => {
    const given = await readInput(request, await parts.engine.subjects.load(operation), parts);
    if (given instanceof Response) return given;
    const version = route.version === undefined || route.method === "GET" ? undefined : readIfMatch(request);
    if (version instanceof Response) return version;
    const input = { ...given, ...params, ...(version !== undefined && { read: version }) };
    const caller = parts.callerOf(await parts.operator(principal, request), request);
    try {
      if (route.follows !== undefined && request.headers.get("accept")?.includes("text/event-stream"))
        return await followOperation({ operation, follows: route.follows }, input, {
          caller,
          access: { request, principal },
          parts,
        });
      const name = sessionNameOf(request);
      const session = name === undefined ? undefined : await parts.engine.openSession(caller, name);
      const output = await parts.engine.operateNamed(caller, operation, input, { session, signal: request.signal });
      return writeOutput(output, route, request);
    } catch (error) {
      if (!ToolwrightError.is(error)) throw error;
      if (error.code !== "policy_conflict" || version === undefined) return problemOf(error);
      const { message, details } = error;
      return problem({ code: "precondition_failed", message, details });
    }
  };
}

interface Following {
  readonly caller: Principal;
  readonly access: StreamAccess;
  readonly parts: RestParts;
}

interface Followed extends Following {
  readonly operation: string;
  readonly input: Members;
}

/** Writes the items of a followed operation until they end, or the signal aborts. */
type WriteItems = (items: AsyncIterable<unknown>, sink: EventSink, signal: AbortSignal) => Promise<void>;

/** Streams what comes, after `Last-Event-ID` where a client comes back. Refusals are answers like any other, as nothing is streamed yet. */
async function followOperation(
  { operation, follows }: { readonly operation: string; readonly follows: NonNullable<OperationRoute["follows"]> },
  input: Members,
  { caller, access, parts }: Following,
): Promise<Response> {
  const last = follows === "now" ? null : access.request.headers.get("last-event-id");
  const wanted = { ...input, ...(last !== null && { after: last }) };
  return streamFollowed({ operation, input: wanted, caller, access, parts }, async (items, { send }) => {
    for await (const item of items) send({ ...(follows !== "now" && { id: String((item as Members)[follows]) }), data: item });
  });
}

/** Streams a followed operation, as long as its caller has access. Rejects with a `ToolwrightError` for one that is refused. */
export async function streamFollowed({ operation, input, caller, access, parts }: Followed, write: WriteItems): Promise<Response> {
  const place = parts.streams.take(ownerOf(caller));
  if (place instanceof Response) return place;
  const gone = new AbortController();
  try {
    const signal = AbortSignal.any([gone.signal, place.closing]);
    const items = await parts.engine.follow(caller, operation, input, { signal });
    const stopLooking = watchAccess(access, parts, () => gone.abort());
    return streamEvents(
      (sink, left) => {
        left.addEventListener("abort", () => gone.abort(), { once: true });
        return write(items, sink, signal).catch(tellRefusal(sink)).finally(stopLooking);
      },
      parts.clock,
      place.free,
    );
  } catch (error) {
    place.free();
    throw error;
  }
}

/** What ends a stream whose caller may not see it any more: the last event says so. */
const tellRefusal =
  ({ send }: EventSink) =>
  (error: unknown) => {
    if (!ToolwrightError.is(error)) throw error;
    const { code, message } = error;
    send({ event: "error", data: { code, message } });
  };

async function readInput(request: Request, { input, route: { method } }: Operation, { limits }: RestParts): Promise<Members | Response> {
  if (method === "GET" || method === "DELETE") return readQuery(request, input.json);
  const read = await readJson(request, limits);
  if (read instanceof Response) return read;
  const { json } = read;
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as Members;
  return malformed("The body is not a JSON object.");
}

/** Texts, as a query has nothing else: the input's own repair reads numbers and booleans. A member that is a list may be repeated. */
function readQuery(request: Request, schema: Operation["input"]["json"]): Members | Response {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, { readonly type?: unknown }>>;
  const { searchParams } = new URL(request.url);
  const members: [string, unknown][] = [];
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name);
    const isList = Object.hasOwn(properties, name) && properties[name]?.type === "array";
    if (values.length > 1 && !isList) return malformed(`The query has ${JSON.stringify(name)} more than once. Send it once.`);
    members.push([name, isList ? values : values[0]]);
  }
  return Object.fromEntries(members);
}

/** RFC 9110 section 13.1.1, for the versions that are counted here. */
function readIfMatch(request: Request): number | undefined | Response {
  const header = request.headers.get("if-match");
  if (header === null) return undefined;
  const [, revision] = /^\s*"(\d{1,9})"\s*$/.exec(header) ?? [];
  if (revision !== undefined) return Number(revision);
  return problem({
    code: "precondition_failed",
    message: `If-Match is ${header}, which no version here has. Send the ETag that was read.`,
  });
}

function writeOutput(output: unknown, { status = 200, version }: OperationRoute, request: Request): Response {
  const kept = { "cache-control": "no-store" };
  if (version === undefined) return WrittenResponse.json(output, { status, headers: kept });
  const tag = `"${String((output as Members)[version])}"`;
  const headers = { ...kept, etag: tag };
  if (request.method === "GET" && request.headers.get("if-none-match") === tag) return new Response(null, { status: 304, headers });
  return WrittenResponse.json(output, { status, headers });
}
