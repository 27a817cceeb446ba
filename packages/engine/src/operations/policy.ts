import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import type { Json, JsonObject } from "../contract/json.ts";
import { EXPLAIN_CATALOGUE, MANAGE_POLICY } from "../contract/permissions.ts";
import type { Explanation, RulePosition } from "../gate/explanation.ts";
import { diffPolicies } from "../policy/diff-policies.ts";
import { tiersOfTenant } from "../policy/document/tenant-policy.ts";
import { lintPolicy } from "../policy/lint/lint-policy.ts";
import type { PolicyVersion } from "../ports/policy-store.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { actor, anyJson, anyObject, listOf, time } from "./json-parts.ts";
import { policyDiffView, policyVersionsView } from "./views/policy.ts";

const managed = { permission: MANAGE_POLICY, onlyPeople: true } as const;
const needs = "Needs a person with the permission policy:manage.";

const revision = z.int().min(0);
const document = anyObject<JsonObject>("Members of a policy document, and `agents`");
const change = {
  read: revision.describe("The revision that was read and changed; 0 for a tenant without a policy"),
  note: z.string().describe("Why, in 1 to 500 characters"),
};

const policyVersion = z.object({
  tenant: z.string(),
  revision,
  document,
  author: actor,
  note: z.string(),
  at: time("When it was put in force"),
});

/** The version in force; a tenant without a policy of its own is at revision 0, with an empty document and no author. */
type CurrentPolicy = Pick<PolicyVersion, "tenant" | "revision" | "document"> & Partial<PolicyVersion>;

const currentVersion = z.object({
  tenant: z.string(),
  revision: revision.describe("0: the tenant has no policy of its own"),
  document,
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
  run: async (_, context): Promise<CurrentPolicy> =>
    (await newestVersion(context)) ?? { tenant: context.principal.tenant, revision: 0, document: {} },
});

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
  before: anyJson<Json>("What the first revision says").optional(),
  after: anyJson<Json>("What the second revision says").optional(),
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

export const putPolicy = defineOperation({
  name: "policy.put",
  at: "PUT /policy",
  version: "revision",
  title: "Put a policy in force",
  description: `Puts a document in force as the policy of the tenant, as a new version. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ document, ...change }),
  output: policyVersion,
  run: ({ document: wanted, ...rest }, context) => put(wanted, rest, context),
});

export const revertPolicy = defineOperation({
  name: "policy.revert",
  at: "POST /policy/revert",
  version: "revision",
  title: "Revert the policy",
  description: `Puts the document of an earlier revision in force, as a new version. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ revision, ...change }),
  output: policyVersion,
  run: async ({ revision: wanted, ...rest }, context) => put(await documentAt(wanted, context), rest, context),
});

export const explanation = anyObject<Explanation>("Whether it is visible and allowed, by which rule, and what would change it");

export const explainCall = defineOperation({
  name: "policy.why",
  at: "POST /policy/why",
  title: "Explain a decision",
  description:
    "Explains what the policy and the catalogue decide about a call, for the principal. A hidden tool answers as an unknown one.",
  effect: "read",
  input: z.object({ tool: z.string().min(1), input: anyObject<JsonObject>("What the tool would be called with").optional() }),
  output: z.object({ explanation }),
  run: async ({ tool, input }, { scope, ...context }) => ({ explanation: locateRules(await scope.explain(tool, input), context) }),
});

type Asking = Pick<OperationContext, "principal" | "parts">;

/** Says of each rule in which file it stands, to those who may be told why tools are hidden. */
export function locateRules(explained: Explanation, context: Asking): Explanation {
  const { decision } = explained;
  const places = decision && positionsOf([decision.rule, ...decision.findings.map(({ rule }) => rule)], context);
  return places ? { ...explained, places } : explained;
}

/** The same of rules alone; undefined where there is nothing to tell. */
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
  input: z.object({ document }),
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

async function put(wanted: JsonObject, { read, note }: Change, { principal, parts }: OperationContext): Promise<PolicyVersion> {
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
