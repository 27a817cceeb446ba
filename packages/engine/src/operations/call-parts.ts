import { z } from "zod";
import { foreignKinds } from "../contract/foreign.ts";

const texts = z.array(z.string());

const foreignMark = z
  .object({
    kind: z.enum(foreignKinds),
    place: z.string().exactOptional().describe("URL, path or id of a document"),
    callId: z.string().describe("The call that read it"),
    tool: z.string(),
    at: z.number().describe("Milliseconds since the epoch"),
  })
  .describe("What a session read first that nobody here wrote");

const findingMembers = {
  effect: z.enum(["allow", "ask", "deny"]),
  layer: z.enum(["tool", "command", "resource"]),
  rule: z.string().describe("Where the rule stands: a path into the policy, or `default.` and a name"),
  reason: z.string(),
  subject: z.string().exactOptional().describe("The part of the call that it speaks of"),
  risk: z.enum(["low", "medium", "high"]).exactOptional(),
  remedy: z.string().exactOptional().describe("What would change the answer"),
  quorum: z
    .object({ approvers: z.int(), permissions: texts, notRequester: z.boolean() })
    .exactOptional()
    .describe("Who has to say yes, where one person is not enough"),
  grantable: z.literal(false).exactOptional().describe("A person is asked each time"),
  foreign: foreignMark.exactOptional(),
  grantsSince: z.number().exactOptional().describe("No yes that was remembered before then stands for a person"),
  reliesOn: z
    .array(z.enum(["links", "credentials", "network", "workspace"]))
    .exactOptional()
    .describe("What the place that runs the call has to hold back, as the words of the call do not show it"),
};

const finding = z.object(findingMembers).describe("One rule's word on one part of a call");

const decision = z
  .object({ ...findingMembers, revision: z.string().describe("Hash of the policy that decided"), findings: z.array(finding) })
  .describe("What the policy decided, with its rule and reason");

const usage = z
  .object({
    models: texts.exactOptional(),
    inputTokens: z.int().exactOptional(),
    cachedInputTokens: z.int().exactOptional(),
    cacheWriteTokens: z.int().exactOptional(),
    outputTokens: z.int().exactOptional(),
    reasoningTokens: z.int().exactOptional(),
    cost: z.number().exactOptional().describe("US dollars"),
    estimated: z.boolean().exactOptional().describe("Some of it is estimated: the provider did not count"),
  })
  .describe("What models and other paid services took for the call");

const place = z
  .object({ root: z.string(), parent: z.string(), step: z.string(), depth: z.int(), chain: texts })
  .describe("Where a call stands that another call made");

const error = z
  .object({
    code: z.string(),
    toolCode: z.string().exactOptional().describe("The tool's own code"),
    message: z.string(),
    details: z.unknown().exactOptional().describe("More about it, by code"),
  })
  .describe("Why a call did not end as `done`");

/** What results of calls and records of them have in common, as schemas of their JSON. */
export const callParts = { foreignMark, finding, decision, usage, place, error };
