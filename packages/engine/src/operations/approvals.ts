import { z } from "zod";
import { ANSWER_APPROVALS, MANAGE_TENANTS } from "../contract/permissions.ts";
import { answerApproval as giveAnswer } from "../gate/approvals/answer-approval.ts";
import { approvalNotFound, listShown } from "../gate/approvals/approval-access.ts";
import { previewApproval } from "../gate/approvals/preview-approval.ts";
import { explainOnMachine } from "../gate/explain-call.ts";
import type { RememberOffer } from "../gate/grants/grant-request.ts";
import type { ApprovalBinding, ApprovalOutcome, StoredApproval } from "../ports/approval-store.ts";
import type { StandsFor } from "../ports/capability.ts";
import type { GrantTerms } from "../ports/grant-store.ts";
import { tenantsPort } from "../ports/tenant-store.ts";
import { turnsPort } from "../ports/turns.ts";
import { type Continuation, continuation, continuationOf, findTurn, isStranded, nameOf, strandedTurn } from "./approval-continuation.ts";
import { hideCallInput } from "./call-input.ts";
import { callParts, toolInput } from "./call-parts.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { predicate } from "./grants.ts";
import { actor, listOf, time } from "./json-parts.ts";
import { explanation, locateRules } from "./policy.ts";
import { answeredView, approvalsView, approvalView } from "./views/approvals.ts";

const id = z.string().min(1).describe("Id of the approval");

const rememberTerms: z.ZodType<GrantTerms, GrantTerms> = z.object({
  scope: z.enum(["session", "agent", "tenant"]).describe("For whom it holds"),
  forMs: z.number().optional().describe("Milliseconds; default 12 hours for a session, else 30 days"),
  maxUses: z.int().optional().describe("Default 1000; at most 10000"),
});

const outcome: z.ZodType<ApprovalOutcome, ApprovalOutcome> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("approve"), remember: rememberTerms.optional().describe("Also allows matching calls from now on") }),
  z.object({ kind: z.literal("deny"), message: z.string().optional().describe("What the caller reads") }),
  z.object({ kind: z.literal("edit"), input: toolInput.describe("Runs the call with this input instead") }),
  z.object({ kind: z.literal("respond"), message: z.string().min(1).describe("What the caller reads; the tool does not run") }),
]);

const answer = z.object({ outcome, by: actor, door: z.string().optional().describe("Where it was given"), at: time("When it was given") });

/** A name, and what differs when the thing does. */
const marks = z.array(z.tuple([z.string(), z.string()]));

const binding: z.ZodType<ApprovalBinding> = z
  .object({
    input: z.string().describe("Digest of the canonical input; a keyed one where a member is sensitive"),
    definition: z.string().describe("Hash of the tool's definition and code"),
    code: marks.exactOptional().describe("Names and marks of the code that went into `definition`"),
    policyRevision: z.string(),
    secrets: z.string().describe("Generations of the secrets that the tool declares and the call names"),
    caller: z.string().describe("Digest of tenant, actor, agent and what they were delegated"),
    disclosed: z.string().describe("Digest of every finding that asked: what a person was told"),
    world: z.string().describe("Digest of what the named things were on the machine"),
    files: z.string().exactOptional().describe("Digest of the files that came with the call"),
    parts: marks.exactOptional().describe("Names and marks of what went into `world`"),
  })
  .describe("What the approval holds still, as digests");

const standsFor: z.ZodType<StandsFor> = z
  .object({
    folder: z.string().exactOptional().describe("Real path of the folder that it happens in"),
    programs: z
      .array(z.object({ word: z.string(), path: z.string().exactOptional().describe("Of what would run, where it is known") }))
      .exactOptional(),
  })
  .describe("What words of the input came to");

const record = z.object({
  id: z.string(),
  callId: z.string(),
  tool: z.string(),
  principal: callParts.principal,
  session: z.string(),
  place: callParts.place.optional(),
  input: toolInput,
  binding: binding,
  decision: callParts.decision,
  summary: z.string().describe("What a person is asked, in one line"),
  standsFor: z.array(standsFor).optional(),
  quorum: z
    .object({ approvers: z.int(), permissions: z.array(z.string()), notRequester: z.boolean() })
    .optional()
    .describe("Absent: one person is enough"),
  foreign: callParts.foreignMark.optional().describe("What the session had read first that nobody here wrote, where no finding names it"),
  createdAt: time("When it was asked"),
  expiresAt: time("Until when it may be used"),
  trace: z
    .object({ traceparent: z.string(), tracestate: z.string().exactOptional() })
    .exactOptional()
    .describe("W3C trace context of the call that asked"),
});

const stored = z.object({
  record,
  answer: answer.optional().describe("The answer that counts; absent while people are missing"),
  approvals: z.array(answer).optional().describe("Who said yes so far, where several people are needed"),
  claimedAt: time("When the call ran").optional(),
  expiredAt: time("When it was noted that nobody had answered in time").optional(),
});

const storedApproval: z.ZodType<StoredApproval> = stored;

/** Rejects with `approval_not_found` for one that the principal may not see, as for one that there is not. */
async function requireApproval(wanted: string, { scope }: Pick<OperationContext, "scope">): Promise<StoredApproval> {
  const found = await scope.approval(wanted);
  if (found) return found;
  throw approvalNotFound(wanted);
}

export const listApprovals = defineOperation({
  name: "approvals.list",
  at: "GET /approvals",
  title: "List open approvals",
  description: "Lists calls that wait for a person, oldest first. A principal sees its own calls, and those that it may answer.",
  effect: "read",
  uses: [tenantsPort],
  input: z.object({
    elsewhere: z.boolean().optional().describe("True: also counts what waits in other tenants, for who has the permission tenants:manage"),
  }),
  output: z.object({
    items: z.array(storedApproval),
    elsewhere: z
      .array(z.object({ tenant: z.string(), open: z.int() }))
      .optional()
      .describe("Other tenants in which calls wait"),
  }),
  shell: { form: "approvals list", about: "List open approvals", gives: { elsewhere: true }, store: true },
  view: approvalsView,
  async run({ elsewhere }, { principal, scope, parts, ports: { tenants } }) {
    const items = await scope.approvals();
    if (!elsewhere || !tenants || !principal.permissions.includes(MANAGE_TENANTS)) return { items };
    const others = (await tenants.list()).map(({ tenant }) => tenant).filter((tenant) => tenant !== principal.tenant);
    const counted: { readonly tenant: string; readonly open: number }[] = [];
    for (const tenant of others) counted.push({ tenant, open: (await listShown({ ...principal, tenant }, parts)).length });
    return { items, elsewhere: counted.filter(({ open }) => open > 0) };
  },
});

const grantProposal = z.object({
  tool: z.string(),
  allows: z.array(predicate),
  matches: z.array(z.string()).describe("Calls that it would allow"),
  notMatches: z.array(z.string()).describe("Calls that it would not"),
});

const choices = z.array(z.object({ scope: z.enum(["session", "agent", "tenant"]), title: z.string() }));
const offer = z.union([
  z.object({ choices, proposal: grantProposal }),
  z.object({ choices: choices.max(0), reason: z.string().describe("Why nothing may be remembered") }),
]);

interface ShownApproval extends StoredApproval, Continuation {
  readonly offer?: RememberOffer;
}

const shownApproval: z.ZodType<ShownApproval> = stored.extend({
  ...continuation,
  offer: offer
    .optional()
    .describe("The grant that remembering an approval would save, and for whom it may hold, where it is wanted and open"),
});

const getApproval = defineOperation({
  name: "approvals.get",
  at: "GET /approvals/{id}",
  title: "Get an approval",
  description:
    "Gets one approval, open or answered, with the whole input and every rule that matched, how its call runs, and on demand what remembering an approval would save.",
  effect: "read",
  uses: [turnsPort],
  input: z.object({ id, offer: z.boolean().optional().describe("True: with what remembering an approval would save, while it is open") }),
  output: shownApproval,
  shell: [
    {
      ...{ form: "approvals show <id>", about: "Show an approval: the whole input and every rule that matched" },
      ...{ gives: { offer: true }, decides: true },
    },
    { form: "approvals run <id>", about: "Run an approved call, once", options: { offer: false }, resumes: "id" },
  ],
  view: approvalView,
  async run({ id: wanted, offer: isWanted = false }, context) {
    const found = await requireApproval(wanted, context);
    const isOpen = found.answer === undefined && context.parts.clock.now() < found.record.expiresAt;
    return {
      ...found,
      ...continuationOf(found, await findTurn(found.record, context)),
      ...(isWanted && isOpen && { offer: await context.scope.offerRemember(wanted) }),
    };
  },
});

const explainApproval = defineOperation({
  name: "approvals.why",
  at: "GET /approvals/{id}/why",
  title: "Explain an approval",
  description: "Explains what the policy and the catalogue decide now about the call of an approval, for the one that asked.",
  effect: "read",
  input: z.object({ id }),
  output: z.object({ explanation }),
  async run({ id: wanted }, context) {
    const { principal, session, tool: name, input } = (await requireApproval(wanted, context)).record;
    return { explanation: locateRules(await explainOnMachine({ principal, session, name, input }, context.parts), context) };
  },
});

const shows = z.array(z.string()).describe("Members of the input that this shows whole");
const previewItem = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("command"),
    command: z.string(),
    pieces: z.array(z.object({ text: z.string(), source: z.string().optional().describe("As findings name it") })),
    shows,
  }),
  z.object({
    kind: z.literal("file"),
    path: z.string(),
    before: z.string().optional().describe("Absent where there is no file"),
    after: z.string().optional().describe("Absent where the file would be gone"),
    problem: z.string().optional().describe("Why there is nothing to compare"),
    shows,
  }),
  z.object({
    kind: z.literal("request"),
    method: z.string(),
    url: z.string(),
    headers: z.array(z.object({ name: z.string(), value: z.string() })),
    body: z.string().optional(),
    credential: z.string().optional().describe("Name of the secret that is sent along"),
    shows,
  }),
]);

const previewAnswer = defineOperation({
  name: "approvals.preview",
  at: "GET /approvals/{id}/preview",
  title: "Preview an approval",
  description:
    "Shows what the call of an open approval would do: its commands one by one, files before and after, requests. Empty once it is answered. Needs a person who may answer it.",
  effect: "read",
  input: z.object({ id }),
  output: listOf(previewItem),
  run: async ({ id: wanted }, { principal, parts, signal }) =>
    previewApproval(principal, wanted, { parts, signal: signal ?? new AbortController().signal }),
});

interface AnsweredApproval extends StoredApproval, Continuation {
  readonly strandedTurn?: NonNullable<Continuation["turn"]>;
}

const answeredApproval: z.ZodType<AnsweredApproval> = stored.extend({ ...continuation, strandedTurn });

export const answerApproval = defineOperation({
  name: "approvals.answer",
  at: "POST /approvals/{id}/answer",
  title: "Answer an approval",
  description:
    "Approves, denies, edits or replies to a call that waits. Needs a person: whose call it is, or with the permission approvals:answer any of the tenant.",
  effect: "write",
  uses: [turnsPort],
  input: z.object({
    id,
    outcome,
    awaitTurn: z
      .boolean()
      .optional()
      .describe("True: where the call is of a turn that can go on now, waits up to three seconds for a process that does so"),
  }),
  output: answeredApproval,
  shell: [
    {
      ...{ form: "approvals deny <id>", about: "Deny a call", gives: { outcome: { kind: "deny" }, awaitTurn: true } },
      options: { outcome: { flags: "--message <text>", about: "message to the caller", into: "message" } },
    },
    {
      ...{ form: "approvals respond <id>", about: "Answer in place of the tool; the tool does not run" },
      gives: { outcome: { kind: "respond" }, awaitTurn: true },
      options: { outcome: { flags: "--message <text>", about: "what the caller reads as the answer", into: "message", required: true } },
    },
  ],
  view: answeredView,
  async logged({ id: wanted, outcome: given }, { principal, parts }) {
    if (given.kind !== "edit") return { id: wanted, outcome: given };
    const { tool = "", principal: asker = principal } = (await parts.approvals.get(principal.tenant, wanted))?.record ?? {};
    return { id: wanted, outcome: { ...given, input: hideCallInput({ tool, input: given.input }, { parts, principal: asker }) } };
  },
  async run({ id: wanted, outcome: given, awaitTurn = false }, context) {
    const asked = await context.scope.approval(wanted);
    const turn = asked && (await findTurn(asked.record, context));
    await giveAnswer(context.principal, wanted, { outcome: given, parts: context.parts });
    const answered = await requireApproval(wanted, context);
    const stranded = awaitTurn && turn && (await isStranded(turn, context)) ? nameOf(turn) : undefined;
    return { ...answered, ...continuationOf(answered, turn), ...(stranded && { strandedTurn: stranded }) };
  },
});

const proposeAnswer = defineOperation({
  name: "approvals.propose",
  at: "GET /approvals/{id}/proposal",
  title: "Propose a grant",
  description: "Shows the grant that remembering an approval would save, and for whom it may hold, before it is given.",
  effect: "read",
  input: z.object({ id }),
  output: offer,
  run: async ({ id: wanted }, { scope }) => scope.offerRemember(wanted),
});

export const approvalsSubject = defineSubject({
  name: "approvals",
  permissions: [{ name: ANSWER_APPROVALS, about: "answer approvals that others wait for, and give grants that hold for others" }],
  errors: {
    approval_not_found: { kind: "missing", means: "There is no such approval for this principal." },
    approval_not_allowed: { kind: "refused", means: "This principal may not answer or resume the approval." },
    approval_not_answered: { kind: "conflict", means: "Nobody has answered the approval yet." },
    approval_already_answered: { kind: "conflict", means: "The approval was answered before." },
    approval_used: { kind: "conflict", means: "The approval was used before; each one runs once." },
    approval_expired: { kind: "expired", means: "The approval was not used in time." },
    approval_void: { kind: "conflict", means: "Something the approval was bound to has changed." },
  },
  shell: { approvals: { about: "Answer calls that wait for a person" } },
  operations: [listApprovals, getApproval, answerApproval, explainApproval, previewAnswer, proposeAnswer],
});
