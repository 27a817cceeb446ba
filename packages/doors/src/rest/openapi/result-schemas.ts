import type {
  Anomaly,
  ApprovalNotice,
  ArtifactRef,
  CallError,
  CallPlace,
  CallResult,
  CallUsage,
  ContentBlock,
  Decision,
  Json,
  JsonObject,
  Posture,
  Progress,
  Repair,
  Truncation,
} from "@toolwright/engine";
import { callParts } from "@toolwright/engine/operations";
import { type ForeignNotice, foreignKinds } from "@toolwright/engine/ports";
import { z } from "zod";

const named = z.registry<{ readonly id: string; readonly description: string }>();
function name<Schema extends z.ZodType>(id: string, schema: Schema, description: string): Schema {
  named.add(schema, { id, description });
  return schema;
}

const anyJson = (description: string) => z.unknown().describe(description) as unknown as z.ZodType<Json>;
const texts = z.array(z.string());

const repair: z.ZodType<Repair> = name(
  "Repair",
  z.object({ path: z.string().describe("JSON pointer into the input"), what: z.string() }),
  "A change that parsing made to the input",
);

const artifact: z.ZodType<ArtifactRef> = name(
  "ArtifactRef",
  z.object({ id: z.string(), name: z.string(), mediaType: z.string(), size: z.int().describe("Bytes") }),
  "Something that a call kept; `/artifacts/{id}/content` has it",
);

const truncation: z.ZodType<Truncation> = name(
  "Truncation",
  z.object({
    path: z.string().describe("JSON pointer into the output"),
    unit: z.enum(["bytes", "items"]),
    total: z.int(),
    kept: z.int(),
    artifact: z.string().exactOptional().describe("Holds the whole; absent when it could not be kept"),
  }),
  "A place where the output was cut",
);

const binary = { data: z.string().describe("Base64"), mimeType: z.string() };
const content: z.ZodType<ContentBlock> = name(
  "ContentBlock",
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("image"), ...binary }),
    z.object({ type: z.literal("audio"), ...binary }),
    z.object({
      type: z.literal("resource_link"),
      uri: z.string(),
      name: z.string(),
      mimeType: z.string().exactOptional(),
      description: z.string().exactOptional(),
    }),
    z.object({
      type: z.literal("resource"),
      resource: z.object({
        uri: z.string(),
        mimeType: z.string().exactOptional(),
        text: z.string().exactOptional(),
        blob: z.string().exactOptional(),
      }),
    }),
  ]),
  "A part of the tool's view for a model",
);

name("ForeignMark", callParts.foreignMark, "What a session read first that nobody here wrote");

const foreignNotice: z.ZodType<ForeignNotice> = name(
  "ForeignNotice",
  z.object({
    boundary: z.string().describe("Stands around the content for a model"),
    kind: z.enum(foreignKinds),
    places: texts,
    members: texts.exactOptional().describe("Names of the members of the output whose texts are foreign; absent for every text"),
  }),
  "Foreign content in the output of a call: nobody here wrote it",
);

name("Finding", callParts.finding, "One rule's word on one part of a call");
const decision: z.ZodType<Decision> = name("Decision", callParts.decision, "What the policy decided, with its rule and reason");

const anomaly: z.ZodType<Anomaly> = name(
  "Anomaly",
  z.object({ kind: z.string() as unknown as z.ZodType<Anomaly["kind"]>, message: z.string() }),
  "Something abnormal about how the call went",
);

const posture: z.ZodType<Posture> = name(
  "Posture",
  z.object({
    runtime: z.string(),
    isolation: z.enum(["none", "namespaces", "container"]),
    network: z.enum(["none", "filtered", "host"]),
    limits: z.record(z.string(), z.string()),
    gaps: texts.describe("What this run did not have"),
  }),
  "The protection that a run really had",
);

const usage: z.ZodType<CallUsage> = name("CallUsage", callParts.usage, "What models and other paid services took for the call");

const place: z.ZodType<CallPlace> = name("CallPlace", callParts.place, "Where a call stands that another call made");

const error: z.ZodType<CallError> = name(
  "CallError",
  z.object({
    code: z.string() as unknown as z.ZodType<CallError["code"]>,
    toolCode: z.string().exactOptional().describe("The tool's own code"),
    message: z.string(),
    details: anyJson("More about it, by code").exactOptional(),
  }),
  "Why a call did not end as `done`",
);

const approval: z.ZodType<ApprovalNotice> = name(
  "ApprovalNotice",
  z.object({
    id: z.string(),
    summary: z.string().describe("What a person is asked, in one line"),
    reason: z.string(),
    expiresAt: z.number().describe("Milliseconds since the epoch"),
  }),
  "What a call that waits tells about its approval",
);

const facts = {
  callId: z.string(),
  tool: z.string(),
  place: place.exactOptional(),
  durationMs: z.int(),
  repairs: z.array(repair),
  posture: posture.optional(),
  anomalies: z.array(anomaly),
  artifacts: z.array(artifact),
  notes: texts.exactOptional().describe("What to know beside the answer: repairs, cuts, missing protection"),
  usage: usage.exactOptional(),
  replayed: z.boolean().exactOptional().describe("True: nothing ran now; the first call with this Idempotency-Key ended so"),
};
type Ending<Status extends CallResult["status"]> = z.ZodType<Extract<CallResult, { readonly status: Status }>>;

const done: Ending<"done"> = name(
  "DoneResult",
  z.object({
    status: z.literal("done"),
    ...facts,
    output: anyJson("By the tool's output schema"),
    content: z.array(content),
    truncations: z.array(truncation),
    exitCode: z.int().exactOptional().describe("Of the command that the tool ran for the caller"),
    foreign: foreignNotice.exactOptional(),
    decision,
  }),
  "A call that is done",
);
const pending: Ending<"pending"> = name(
  "PendingResult",
  z.object({ status: z.literal("pending"), ...facts, approval, decision }),
  "A call that waits for a person",
);
const failed: Ending<"failed"> = name("FailedResult", z.object({ status: z.literal("failed"), ...facts, error }), "A call that failed");
const denied: Ending<"denied"> = name(
  "DeniedResult",
  z.object({
    status: z.literal("denied"),
    ...facts,
    decision,
    message: z.string().exactOptional().describe("The words of the person who denied"),
  }),
  "A call that the policy or a person denied",
);
const cancelled: Ending<"cancelled"> = name(
  "CancelledResult",
  z.object({ status: z.literal("cancelled"), ...facts, reason: z.string() }),
  "A call that was cancelled",
);
const unknown: Ending<"unknown"> = name(
  "UnknownResult",
  z.object({ status: z.literal("unknown"), ...facts, error }),
  "A call whose effect was sent and whose answer was lost",
);
const everyEnding: z.ZodType<CallResult> = z.union([done, pending, failed, denied, cancelled, unknown]);
name("CallResult", everyEnding, "How a call ended");
name(
  "RunningCall",
  z.object({ status: z.literal("running"), callId: z.string(), run: z.string().describe("Path of its run") }),
  "A call that runs on",
);
const progress = z.object({ done: z.number(), total: z.number().optional(), message: z.string().optional() }) satisfies z.ZodType<
  Pick<Progress, "done"> & Partial<Progress>
>;
name("StartedCall", z.object({ callId: z.string() }), "That the call runs; the data of the event `started`");
name(
  "CancellingCall",
  z.object({ status: z.literal("cancelling"), callId: z.string(), run: z.string().describe("Path of its run") }),
  "A call that ran on and was told to end",
);
name("Progress", progress, "How far a call is, in units of the tool's choice; the data of the event `progress`");
name("OutputChunk", z.object({ text: z.string() }), "What a call wrote; the data of the event `output`");

export const schemasAt = "#/components/schemas/";

/** The results of calls as JSON Schemas, by their names in the document. */
export function resultSchemas(): Readonly<Record<string, JsonObject>> {
  const { schemas } = z.toJSONSchema(named, {
    io: "output",
    uri: (id) => `${schemasAt}${id}`,
    override: ({ jsonSchema }) => {
      // A later version may add members: clients read those that they know.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, id: ___, ...schema }]) => [id, schema as unknown as JsonObject]),
  );
}
