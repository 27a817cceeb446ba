import type { JsonObject } from "@toolwright/engine";
import { type ProblemGroup, problemCodes, problemGroups } from "../problem-codes.ts";
import { resultSchemas, schemasAt } from "./result-schemas.ts";

export const schemaRef = (name: string): JsonObject => ({ $ref: `${schemasAt}${name}` });
export const parameterRef = (name: string): JsonObject => ({ $ref: `#/components/parameters/${name}` });
export const headerRef = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` });
const responseRef = (name: string): JsonObject => ({ $ref: `#/components/responses/${name}` });

const header = (name: string, description: string, schema: JsonObject = { type: "string" }): JsonObject => ({
  name,
  in: "header",
  description,
  schema,
});

const parameters: Readonly<Record<string, JsonObject>> = {
  Session: header("Toolwright-Session", "The session that the request belongs to. Default: one for each caller."),
  IdempotencyKey: header(
    "Idempotency-Key",
    "One call for one key, for 24 hours: a repetition is answered as the first call was, and another input with 422.",
    { type: "string", minLength: 1, maxLength: 255 },
  ),
  Prefer: header(
    "Prefer",
    "`respond-async` answers as soon as the call runs, and `wait=30` after 30 seconds: the call then runs on by itself (RFC 7240). With a stream, the call runs on when its client leaves, and with `return=representation` its result holds what was streamed as output, too.",
  ),
  Traceparent: header("traceparent", "The trace that the call goes on with (W3C Trace Context)."),
  Tracestate: header("tracestate", "What tracing systems say of the trace (W3C Trace Context)."),
  IfMatch: header("If-Match", "The ETag that was read: 412 where there is another version by now."),
  IfNoneMatch: header("If-None-Match", "The ETag that is known: 304 where it is still the version."),
  LastEventId: header("Last-Event-ID", "The event after which the stream goes on, when a client comes back."),
  Range: header("Range", "The bytes that are wanted, such as `bytes=0-1023`: one range (RFC 9110)."),
};

const answerHeader = (description: string, schema: JsonObject = { type: "string" }): JsonObject => ({ description, schema });

const headers: Readonly<Record<string, JsonObject>> = {
  ApprovalOrRun: answerHeader("Path of the approval that the call waits for, or of the run of a call that runs on."),
  PreferenceApplied: answerHeader("What of `Prefer` was followed."),
  IdempotentReplayed: answerHeader("`true`: nothing ran now; the first call with this Idempotency-Key ended so.", {
    type: "string",
    enum: ["true"],
  }),
  Traceparent: answerHeader("The trace that the call is recorded in, where somebody records it (W3C Trace Context)."),
  ETag: answerHeader("The version: send it as `If-Match` with the change, or as `If-None-Match` to ask again."),
  AcceptRanges: answerHeader("`bytes`: parts can be asked for with `Range`."),
  ContentRange: answerHeader("Which bytes of how many these are."),
  ContentDisposition: answerHeader("The name of the artifact, to be saved under."),
  WwwAuthenticate: answerHeader("How to authenticate (RFC 6750)."),
  RetryAfter: answerHeader("Seconds after which the request can be made again.", { type: "integer", minimum: 1 }),
  RateLimit: answerHeader("The limit that refused, and the seconds until it gives way (draft-ietf-httpapi-ratelimit-headers)."),
};

/** RFC 9457 with the members that are ours, for these codes. */
function problemSchema(groups: readonly ProblemGroup[]): JsonObject {
  const paragraphs = groups.map(({ status, remedy, codes }) =>
    [remedy, ...codes.map((code) => `- \`${code}\` (${status}): ${problemCodes[code].means}`)].join("\n"),
  );
  return {
    type: "object",
    description: "What went wrong (RFC 9457). Branch on `code`, which is stable.",
    properties: {
      type: { type: "string", description: "`urn:toolwright:problem:` and the code" },
      title: { type: "string", description: "What the code means" },
      status: { type: "integer" },
      detail: { type: "string", description: "What happened, to what, and what to do" },
      code: { type: "string", enum: groups.flatMap(({ codes }) => codes), description: paragraphs.join("\n\n") },
      toolCode: { type: "string", description: "The tool's own code" },
      callId: { type: "string" },
      issues: {
        type: "array",
        description: "Places of the input that do not fit",
        items: {
          type: "object",
          properties: { pointer: { type: "string", description: "JSON pointer into the input" }, message: { type: "string" } },
          required: ["pointer", "message"],
        },
      },
      details: { description: "More about it, by code" },
      result: schemaRef("CallResult"),
    },
    required: ["type", "title", "status", "detail", "code"],
  };
}

/** An event of a stream, as OpenAPI 3.2 writes them. */
const eventSchema = (event: string, data: string): JsonObject => ({
  type: "object",
  properties: {
    event: { type: "string", const: event },
    data: { type: "string", contentMediaType: "application/json", contentSchema: schemaRef(data) },
  },
  required: ["event", "data"],
});

const problemAnswer = (description: string, schema: string, some: JsonObject = {}): JsonObject => ({
  description,
  ...(Object.keys(some).length > 0 && { headers: some }),
  content: { "application/problem+json": { schema: schemaRef(schema) } },
});

export const clientProblem = (description: string) => problemAnswer(description, "ClientProblem");

const responses: Readonly<Record<string, JsonObject>> = {
  Waiting: {
    description: "The call waits for a person, or runs on by itself: `Location` says where to look.",
    headers: {
      Location: headerRef("ApprovalOrRun"),
      "Preference-Applied": headerRef("PreferenceApplied"),
      Traceparent: headerRef("Traceparent"),
    },
    content: { "application/json": { schema: { oneOf: [schemaRef("PendingResult"), schemaRef("RunningCall")] } } },
  },
  Unauthenticated: problemAnswer("Nobody is known by these credentials.", "ClientProblem", {
    "WWW-Authenticate": headerRef("WwwAuthenticate"),
  }),
  LimitReached: problemAnswer("A limit refused. Come again later.", "ClientProblem", {
    "Retry-After": headerRef("RetryAfter"),
    RateLimit: headerRef("RateLimit"),
  }),
  ClientProblem: clientProblem("The request, the policy, a person or the tool is the reason why nothing came of it."),
  ServerProblem: problemAnswer("The server is at fault, or cannot serve now.", "ServerProblem"),
};

/** What every endpoint may answer beside its successes. */
export const problemResponses: JsonObject = {
  "401": responseRef("Unauthenticated"),
  "429": responseRef("LimitReached"),
  "4XX": responseRef("ClientProblem"),
  "5XX": responseRef("ServerProblem"),
};

export const waitingResponse = responseRef("Waiting");

/** What a call takes beside its input. */
export const callParameters: readonly JsonObject[] = ["IdempotencyKey", "Prefer", "Session", "Traceparent", "Tracestate"].map(parameterRef);

/** Everything that endpoints refer to. */
export const sharedComponents = {
  parameters,
  headers,
  responses,
  schemas: {
    ...resultSchemas(),
    ClientProblem: problemSchema(problemGroups().filter(({ status }) => status < 500)),
    ServerProblem: problemSchema(problemGroups().filter(({ status }) => status >= 500)),
    CallEvents: {
      type: "string",
      description: "Server-sent events: `started` when the call runs, `progress`, `log` and `output` while it does, and last its `result`.",
      contentMediaType: "text/event-stream",
      contentSchema: {
        oneOf: [
          eventSchema("started", "StartedCall"),
          eventSchema("progress", "Progress"),
          eventSchema("log", "LogLine"),
          eventSchema("output", "OutputChunk"),
          eventSchema("result", "CallResult"),
        ],
      },
      examples: ['event: progress\ndata: {"done":1,"total":2}\n\nevent: output\ndata: {"text":"working\\n"}\n\n'],
    },
  } as Readonly<Record<string, JsonObject>>,
};
