import { z } from "zod";
import type { ApprovalNotice, ArtifactRef, CallResult, Repair, Truncation } from "../contract/call.ts";
import type { ContentBlock } from "../contract/content.ts";
import { type ForeignNotice, foreignKinds } from "../contract/foreign.ts";
import { type Anomaly, anomalyKinds, type Posture } from "../contract/posture.ts";
import { anyJson } from "../schema/any-json.ts";
import { callParts } from "./call-parts.ts";

const texts = z.array(z.string());

const repair: z.ZodType<Repair> = z
  .object({ path: z.string().describe("JSON pointer into the input"), what: z.string() })
  .describe("A change that parsing made to the input");

const artifact: z.ZodType<ArtifactRef> = z
  .object({ id: z.string(), name: z.string(), mediaType: z.string(), size: z.int().describe("Bytes") })
  .describe("Something that a call kept; `/artifacts/{id}/content` has it");

const truncation: z.ZodType<Truncation> = z
  .object({
    path: z.string().describe("JSON pointer into the output"),
    unit: z.enum(["bytes", "items"]),
    total: z.int(),
    kept: z.int(),
    artifact: z.string().exactOptional().describe("Holds the whole; absent when it could not be kept"),
  })
  .describe("A place where the output was cut");

const binary = { data: z.string().describe("Base64"), mimeType: z.string() };
const content: z.ZodType<ContentBlock> = z
  .discriminatedUnion("type", [
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
  ])
  .describe("A part of the tool's view for a model");

const foreignNotice: z.ZodType<ForeignNotice> = z
  .object({
    boundary: z.string().describe("Stands around the content for a model"),
    kind: z.enum(foreignKinds),
    places: texts,
    members: texts.exactOptional().describe("Names of the members of the output whose texts are foreign; absent for every text"),
  })
  .describe("Foreign content in the output of a call: nobody here wrote it");

const anomaly: z.ZodType<Anomaly> = z
  .object({ kind: z.enum(anomalyKinds), message: z.string() })
  .describe("Something abnormal about how the call went");

const posture: z.ZodType<Posture> = z
  .object({
    runtime: z.string(),
    isolation: z.enum(["none", "namespaces", "container"]),
    network: z.enum(["none", "filtered", "host"]),
    limits: z.record(z.string(), z.string()),
    gaps: texts.describe("What this run did not have"),
  })
  .describe("The protection that a run really had");

const approval: z.ZodType<ApprovalNotice> = z
  .object({
    id: z.string(),
    summary: z.string().describe("What a person is asked, in one line"),
    reason: z.string(),
    expiresAt: z.number().describe("Milliseconds since the epoch"),
  })
  .describe("What a call that waits tells about its approval");

const { place, usage, decision, error } = callParts;

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

const done: Ending<"done"> = z
  .object({
    status: z.literal("done"),
    ...facts,
    output: anyJson("By the tool's output schema"),
    content: z.array(content),
    truncations: z.array(truncation),
    exitCode: z.int().exactOptional().describe("Of the command that the tool ran for the caller"),
    foreign: foreignNotice.exactOptional(),
    decision,
  })
  .describe("A call that is done");
const pending: Ending<"pending"> = z
  .object({ status: z.literal("pending"), ...facts, approval, decision })
  .describe("A call that waits for a person");
const failed: Ending<"failed"> = z.object({ status: z.literal("failed"), ...facts, error }).describe("A call that failed");
const denied: Ending<"denied"> = z
  .object({
    status: z.literal("denied"),
    ...facts,
    decision,
    message: z.string().exactOptional().describe("The words of the person who denied"),
  })
  .describe("A call that the policy or a person denied");
const cancelled: Ending<"cancelled"> = z
  .object({ status: z.literal("cancelled"), ...facts, reason: z.string() })
  .describe("A call that was cancelled");
const unknown: Ending<"unknown"> = z
  .object({ status: z.literal("unknown"), ...facts, error })
  .describe("A call whose effect was sent and whose answer was lost");

const result: z.ZodType<CallResult> = z.union([done, pending, failed, denied, cancelled, unknown]).describe("How a call ended");

/** How calls end, as schemas of their JSON, by their names in documents. */
export const callResults = {
  Repair: repair,
  ArtifactRef: artifact,
  Truncation: truncation,
  ContentBlock: content,
  ForeignMark: callParts.foreignMark,
  ForeignNotice: foreignNotice,
  Finding: callParts.finding,
  Decision: decision,
  Anomaly: anomaly,
  Posture: posture,
  CallUsage: usage,
  CallPlace: place,
  CallError: error,
  ApprovalNotice: approval,
  DoneResult: done,
  PendingResult: pending,
  FailedResult: failed,
  DeniedResult: denied,
  CancelledResult: cancelled,
  UnknownResult: unknown,
  CallResult: result,
};
