import { z } from "zod";
import type { Admission } from "../catalogue/admit.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { JsonObject } from "../contract/json.ts";
import { EXPLAIN_CATALOGUE, MANAGE_POLICY } from "../contract/permissions.ts";
import type { Explanation, RulePosition } from "../gate/explanation.ts";
import { diffPolicies } from "../policy/diff-policies.ts";
import { tiersOfTenant } from "../policy/document/tenant-policy.ts";
import { lintPolicy } from "../policy/lint/lint-policy.ts";
import type { PolicyVersion } from "../ports/policy-store.ts";
import { anyJson, anyObject } from "../schema/any-json.ts";
import { callParts, possibleChange } from "./call-parts.ts";
import { callResults } from "./call-results.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { actor, listOf, time } from "./json-parts.ts";
import { seenByAgent } from "./seen-by-agent.ts";
import { explanationView, policyDiffView, policyVersionsView } from "./views/policy.ts";

const managed = { permission: MANAGE_POLICY, onlyPeople: true } as const;
const needs = "Needs a person with the permission policy:manage.";

const revision = z.int().min(0);
/** Its own schema is that of `GET /policy/schema`: what is wrong is told as the policy tells it, and versions of before are kept as they were. */
export const policyDocument = anyObject("Members of a policy document, and `agents`; `policy.schema` has their schema");
const said = anyJson("Any member of a policy");
const change = {
  read: revision.describe("The revision that was read and changed; 0 for a tenant without a policy"),
  note: z.string().describe("Why, in 1 to 500 characters"),
};

const policyVersion = z.object({
  tenant: z.string(),
  revision,
  document: policyDocument,
  author: actor,
  note: z.string(),
  at: time("When it was put in force"),
});

/** The version in force; a tenant without a policy of its own is at revision 0, with an empty document and no author. */
type CurrentPolicy = Pick<PolicyVersion, "tenant" | "revision" | "document"> & Partial<PolicyVersion>;

const currentVersion = z.object({
  tenant: z.string(),
  revision: revision.describe("0: the tenant has no policy of its own"),
  document: policyDocument,
  author: actor.optional(),
  note: z.string().optional(),
  at: time("When it was put in force").optional(),
});

export const currentPolicy = defineOperation({
  name: "policy.current",
  at: "GET /policy",
  version: "revision",
  title: "Get the policy",
  description: `Gets the policy of the tenant that is in force. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: currentVersion,
  run: (_, context) => currentVersionOf(context),
});

export const currentVersionOf = async (context: Pick<OperationContext, "principal" | "parts">): Promise<CurrentPolicy> =>
  (await newestVersion(context)) ?? { tenant: context.principal.tenant, revision: 0, document: {} };

async function newestVersion({ principal, parts }: Pick<OperationContext, "principal" | "parts">): Promise<PolicyVersion | undefined> {
  const [newest] = await parts.policies.list(principal.tenant, { limit: 1 });
  return newest;
}

export const policyVersions = defineOperation({
  name: "policy.versions",
  at: "GET /policy/versions",
  title: "List versions of the policy",
  description: `Lists versions of the tenant's policy, newest first. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({
    before: revision.optional().describe("Versions that come before this revision"),
    limit: z.int().min(1).max(500).optional().describe("Default 50"),
  }),
  output: listOf(policyVersion),
  shell: {
    form: "policy versions",
    about: "List the versions of a tenant's policy, newest first",
    options: { before: false, limit: { about: "at most so many (default: 50)" } },
  },
  view: policyVersionsView,
  run: async (page, { principal, parts }) => ({ items: await parts.policies.list(principal.tenant, page) }),
});

const difference = z.object({
  path: z.string(),
  before: said.optional().describe("What the first revision says"),
  after: said.optional().describe("What the second revision says"),
});

export const diffPolicy = defineOperation({
  name: "policy.diff",
  at: "GET /policy/diff",
  title: "Compare versions of the policy",
  description: `Lists what the second revision says differently. Revision 0 is the empty policy. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({
    from: revision.optional().describe("Default: the one before the second"),
    to: revision.optional().describe("Default: the one in force"),
  }),
  output: z.object({ from: revision, to: revision, items: z.array(difference) }),
  shell: {
    form: "policy diff [from] [to]",
    about: "Compare two revisions of a tenant's policy",
    notes: "Without revisions: the one in force and the one before it.",
    examples: ["policy diff 3 5 --tenant acme"],
  },
  view: policyDiffView,
  async run({ from: first, to: second }, context) {
    const to = second ?? (await newestVersion(context))?.revision ?? 0;
    const from = first ?? Math.max(0, to - 1);
    const [{ version: _, ...before }, { version: __, ...after }] = [await documentAt(from, context), await documentAt(to, context)];
    return { from, to, items: diffPolicies(before, after) };
  },
});

const readRevision = {
  flags: "--revision <number>",
  about: "the revision that you changed (default: the one in force); refused where it is not the newest",
  from: { operation: "policy.current", member: "revision" },
} as const;
const inForce = { out: "The policy of {tenant} is at revision {revision}: {note}" };

export const putPolicy = defineOperation({
  name: "policy.put",
  at: "PUT /policy",
  version: "revision",
  title: "Put a policy in force",
  description: `Puts a document in force as the policy of the tenant, as a new version. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ document: policyDocument, ...change }),
  output: policyVersion,
  shell: {
    form: "policy put <document>",
    about: "Put a file in force as the policy of a tenant",
    options: { document: { flags: "<file>", reads: "policy" }, read: readRevision, note: { about: "why" } },
    notes: "It narrows the platform's policy, for the calls of this tenant alone.",
    examples: ['policy put acme.yaml --tenant acme --note "No payments by agents"'],
  },
  view: inForce,
  run: ({ document: wanted, ...rest }, context) => changePolicy(wanted, rest, context),
});

export const revertPolicy = defineOperation({
  name: "policy.revert",
  at: "POST /policy/revert",
  version: "revision",
  title: "Revert the policy",
  description: `Puts the document of an earlier revision in force, as a new version. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ revision, ...change, note: change.note.optional().describe("Why; left out, it says to which revision") }),
  output: policyVersion,
  shell: {
    form: "policy revert <revision>",
    about: "Put an earlier revision of a tenant's policy in force, as a new one",
    options: { read: readRevision, note: { about: "why" } },
    missing: "See the revisions with: toolwright policy versions{where}",
  },
  view: inForce,
  run: async ({ revision: wanted, read, note = `Revert to revision ${wanted}` }, context) =>
    changePolicy(await documentAt(wanted, context), { read, note }, context),
});

const texts = z.array(z.string());

const admission: z.ZodType<Admission> = z.object({
  admitted: z.boolean(),
  checks: z
    .array(z.object({ check: z.string(), passed: z.boolean(), reason: z.string() }))
    .describe("In order, up to the first that failed"),
  change: possibleChange.exactOptional().describe("What would let the check pass that failed"),
  missingSecrets: texts.exactOptional().describe("Names of the secrets that must be set, where nothing else hides the tool"),
  missing: z.string().exactOptional().describe("What a capability lacks, where nothing before it hides the tool"),
});

/** Where rules stand, by the rule. */
export const rulePositions: z.ZodType<Readonly<Record<string, RulePosition>>> = z.record(
  z.string(),
  z.object({ file: z.string(), line: z.int().describe("From 1"), column: z.int().describe("From 1") }),
);

export const explanation: z.ZodType<Explanation> = z
  .object({
    tool: z.string(),
    visible: z.boolean(),
    admission: admission.optional().describe("Whether the catalogue shows the tool; absent for one that it does not have"),
    decision: callParts.decision.optional().describe("Absent where the tool is not visible, or the decision depends on what was not seen"),
    misfit: z.string().exactOptional().describe("Why the input does not fit"),
    issues: z
      .array(z.object({ path: z.string().describe("JSON pointer into the input"), message: z.string() }))
      .exactOptional()
      .describe("Each of its parts that does not fit"),
    unseen: texts.exactOptional().describe("JSON pointers to sensitive members: the explanation holds whatever they are"),
    repairs: z.array(callResults.Repair).exactOptional(),
    obstacles: texts.exactOptional().describe("Why the call fails although the policy does not deny it"),
    dependsOn: texts.exactOptional().describe("Without an input: what of it decides whether a call runs"),
    changes: z.array(possibleChange).exactOptional().describe("What would let the call run unasked"),
    places: rulePositions.exactOptional().describe("Where rules stand that a file says"),
    text: z.string().describe("Several lines for people"),
  })
  .describe("Whether it is visible and allowed, by which rule, and what would change it");

export const explainCall = defineOperation({
  name: "policy.why",
  at: "POST /policy/why",
  title: "Explain a decision",
  description:
    "Explains what the policy and the catalogue decide about a call, for the principal. A hidden tool answers as an unknown one. For another agent it needs the permission catalogue:explain.",
  effect: "read",
  input: z.object({
    tool: z.string().min(1),
    input: anyObject("What the tool would be called with, by its input schema").optional(),
    agent: z.string().min(1).optional().describe("As it is for this agent"),
  }),
  output: z.object({ explanation }),
  shell: {
    form: "why <tool> [input...]",
    about: "Explain whether a call runs and which rule decides",
    call: { tool: "tool", input: "input" },
    options: {
      input: { flags: "--input <json>", about: "input of the call, as JSON; fields after it take precedence" },
      agent: { flags: "--agent <id>", about: "explain a call by this agent" },
    },
    examples: ["why exec", "why exec --command 'git push'", `why exec --agent coder '{"command": "git push"}'`],
  },
  view: explanationView,
  async run({ tool, input, agent }, context) {
    return { explanation: locateRules(await seenByAgent(agent, context).explain(tool, input), context) };
  },
});

type Asking = Pick<OperationContext, "principal" | "parts">;

/** Says of each rule in which file it stands, to those who may be told why tools are hidden. */
export function locateRules(explained: Explanation, context: Asking): Explanation {
  const { decision } = explained;
  const places = decision && positionsOf([decision.rule, ...decision.findings.map(({ rule }) => rule)], context);
  return places ? { ...explained, places } : explained;
}

/** Positions of rules by their names; undefined where no position is known. */
export function positionsOf(rules: readonly string[], { principal, parts }: Asking): Readonly<Record<string, RulePosition>> | undefined {
  if (!principal.permissions.includes(EXPLAIN_CATALOGUE)) return undefined;
  const places: Record<string, RulePosition> = Object.create(null);
  for (const rule of rules) {
    const place = parts.locateRule(rule);
    if (place) places[rule] = place;
  }
  return Object.keys(places).length === 0 ? undefined : { ...places };
}

const finding = z.object({
  level: z.enum(["warning", "hint"]),
  document: z.int().describe("0 is the tenant's own; those of its agents follow"),
  path: z.array(z.union([z.string(), z.int()])),
  message: z.string(),
});

export const lintTenantPolicy = defineOperation({
  name: "policy.lint",
  at: "POST /policy/lint",
  title: "Lint a policy",
  description: `Names what a policy of the tenant would say in vain: dead and shadowed rules, names that no tool has. Nothing is put in force. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({ document: policyDocument }),
  output: listOf(finding),
  async run({ document: wanted }, { principal: { tenant }, parts }) {
    const tools = parts.snapshot(tenant).tools.map(({ facts }) => facts);
    return { items: lintPolicy(tiersOfTenant({ tenant, document: wanted }), tools) };
  },
});

async function documentAt(wanted: number, { principal: { tenant }, parts }: OperationContext): Promise<JsonObject> {
  if (wanted === 0) return {};
  const found = await parts.policies.find(tenant, wanted);
  if (found) return found.document;
  const message = `The tenant ${JSON.stringify(tenant)} has no policy of revision ${wanted}. List its versions and name one of them.`;
  throw new ToolwrightError("policy_not_found", message);
}

interface Change {
  readonly read: number;
  readonly note: string;
}

/** Puts the document in force as a new version. */
export async function changePolicy(
  wanted: JsonObject,
  { read, note }: Change,
  { principal, parts }: Pick<OperationContext, "principal" | "parts">,
): Promise<PolicyVersion> {
  const { tenant, actor: author } = principal;
  checkNote(note);
  tiersOfTenant({ tenant, document: wanted });
  return parts.policies.put({ tenant, document: wanted, author, note, at: parts.clock.now(), read });
}

const longestNote = 500;

function checkNote(note: string): void {
  const isText = note.trim().length > 0 && note.length <= longestNote;
  if (isText && !note.includes("\u0000") && note.isWellFormed()) return;
  throw new ToolwrightError("policy_invalid", `The note is not 1 to ${longestNote} characters of text. Say why the policy changes.`);
}
