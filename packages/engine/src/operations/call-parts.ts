import { z } from "zod";
import type { CallError } from "../contract/call.ts";
import type { CallPlace } from "../contract/call-place.ts";
import type { Decision } from "../contract/decision.ts";
import { type ErrorCode, errorCodes } from "../contract/errors.ts";
import { foreignKinds } from "../contract/foreign.ts";
import type { PossibleChange } from "../contract/possible-change.ts";
import type { Principal } from "../contract/principal.ts";
import type { CallUsage } from "../contract/usage.ts";
import { anyJson, anyObject } from "../schema/any-json.ts";
import { actor } from "./json-parts.ts";

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
    .object({
      approvers: z.int().describe("Distinct people"),
      permission: z.string().exactOptional().describe("Each of them has it"),
      notRequester: z.boolean().exactOptional().describe("True: the requester does not count"),
    })
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

const decision: z.ZodType<Decision> = z
  .object({ ...findingMembers, revision: z.string().describe("Hash of the policy that decided"), findings: z.array(finding) })
  .describe("What the policy decided, with its rule and reason");

const usage: z.ZodType<CallUsage> = z
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

const place: z.ZodType<CallPlace> = z
  .object({ root: z.string(), parent: z.string(), step: z.string(), depth: z.int(), chain: texts })
  .describe("Where a call stands that another call made");

const codes = Object.keys(errorCodes).filter((code): code is ErrorCode => Object.hasOwn(errorCodes, code));

const error: z.ZodType<CallError> = z
  .object({
    code: z.enum(codes),
    toolCode: z.string().exactOptional().describe("The tool's own code"),
    message: z.string(),
    details: anyJson("More about it, by code").exactOptional(),
  })
  .describe("Why a call did not end as `done`");

const bounds = z.object({
  tools: texts.exactOptional().describe("Names and `group:` handles"),
  commands: texts.exactOptional().describe("Patterns as in `commands.rules` of the policy"),
  paths: z
    .array(z.object({ prefix: z.string(), access: z.enum(["read", "write", "delete"]) }))
    .exactOptional()
    .describe("Paths of the workspace, each with all below it"),
  hosts: texts.exactOptional().describe("Host rules"),
  secrets: texts.exactOptional().describe("Names of secrets"),
  permissions: texts.exactOptional(),
});

const delegation = z.object({
  // Read when the schema is, as the principal contains itself.
  get from() {
    return principal;
  },
  ceiling: bounds.exactOptional().describe("What the agent is made for"),
  assignment: bounds.exactOptional().describe("What it was given for this piece of work"),
  deny: bounds.exactOptional().describe("What it keeps itself from"),
});

const principal: z.ZodType<Principal> = z
  .object({
    tenant: z.string(),
    actor,
    agent: z.string().exactOptional().describe("The agent in whose name it acts"),
    permissions: texts,
    key: z.string().exactOptional().describe("Id of the API key that it came with"),
    onBehalfOf: z.string().exactOptional().describe("Id of the person in whose conversation an agent acts"),
    door: z.string().describe("The surface that it came through"),
    source: z.enum(["web", "agent", "api", "cli", "mcp", "schedule"]).exactOptional().describe("What started it"),
    runtime: z.enum(["chat", "schedule", "sub_agent", "room", "webhook"]).exactOptional().describe("The situation an agent runs in"),
    harness: texts.exactOptional().describe("Harness categories that the runtime admits"),
    interactive: z.boolean().exactOptional().describe("A person can be asked through this door, now"),
    unattended: z.boolean().exactOptional().describe("Nobody can be asked: what asks is denied"),
    delegated: delegation.exactOptional().describe("From whom it has its rights, and how they are narrowed"),
    foreignFrom: texts.exactOptional().describe("Sessions whose foreign content counts as read by it"),
    attributes: anyObject("Facts for feature flags and schemas of its own, in the words of whoever sets them").exactOptional(),
  })
  .describe("Who asks");

/** What results of calls and records of them have in common, as schemas of their JSON. */
export const callParts = { foreignMark, finding, decision, usage, place, error, principal };

/** What a tool takes and gives, as its own schemas say: no other schema knows more. */
export const toolInput = anyJson("What the tool is called with, by its input schema");
export const loggedValue = anyJson("By the tool's schema, as the log keeps it: a large one is cut, and says so");

export const possibleChange: z.ZodType<PossibleChange> = z.object({
  kind: z.enum(["definition", "catalogue", "permission", "secret", "policy", "grant", "input"]).describe("Where it is changed"),
  text: z.string().describe("One sentence"),
});
