import { type ElicitRequestFormParams, type InputRequest, inputResponse } from "@modelcontextprotocol/server";
import type { ApprovalOutcome, PendingResult, RememberOffer, Scope } from "@toolwright/engine";
import { describeOffer, describeStanding, type StandingLine } from "@toolwright/engine/policy";
import { type ForeignMark, oneLine, visibleText } from "@toolwright/engine/ports";
import { z } from "zod";

/** The key of the one question of an approval round. */
export const approvalQuestion = "approval";

type Form = ElicitRequestFormParams["requestedSchema"];

const questions: Form["properties"] = {
  decision: {
    type: "string",
    title: "Decision",
    oneOf: [
      { const: "deny", title: "Deny" },
      { const: "approve", title: "Approve, once" },
    ],
  },
  message: { type: "string", title: "Message", description: "Optional: what the model should know, when you deny." },
};

/** "This call only" is what a form left as it is says; where nothing may be remembered the question is not there. */
function formFor({ choices }: RememberOffer): Form {
  if (choices.length === 0) return { type: "object", properties: questions, required: ["decision"] };
  const remember: Form["properties"][string] = {
    type: "string",
    title: "Remember",
    description: "When you approve: how far the yes holds for what is shown above.",
    oneOf: [
      { const: "call", title: "This call only" },
      ...choices.map(({ scope, title }) => ({ const: scope, title: `Also later, ${title}` })),
    ],
    default: "call",
  };
  return { type: "object", properties: { ...questions, remember }, required: ["decision"] };
}

/** The form of an approval that waits. It shows the input as it was repaired: that is what would run. */
export async function requestApproval(pending: PendingResult, { scope, person }: { scope: Scope; person: Scope }): Promise<InputRequest> {
  const { id } = pending.approval;
  const open = await scope.approval(id);
  const offer = await person.offerRemember(id);
  return approvalRequest(pending, open ? { ...open.record, offer, standing: describeStanding(open.record) } : { input: undefined, offer });
}

/** What the form shows besides what the caller was told. */
interface ShownApproval {
  readonly input: unknown;
  readonly offer: RememberOffer;
  readonly standing?: readonly StandingLine[];
  readonly foreign?: ForeignMark;
}

/** The form that asks the person at the client. Where the server keeps its folders is not for clients. */
export function approvalRequest(pending: PendingResult, { input, offer, standing = [], foreign }: ShownApproval): InputRequest {
  const { approval, decision, tool } = pending;
  const lines = [
    oneLine(approval.summary),
    `Tool: ${tool}`,
    `Reason: ${oneLine(decision.reason)} (rule ${oneLine(decision.rule)})`,
    ...(foreign
      ? [`Before: its session read content from ${oneLine(foreign.place ?? foreign.tool)} (${foreign.tool}, ${foreign.callId})`]
      : []),
    ...(decision.risk ? [`Risk: ${decision.risk}`] : []),
    `Input: ${showInput(input, approval.id)}`,
    ...standing.flatMap(({ label, text }) => (label === "folder" ? [] : `${label === "runs" ? "Runs" : "Holds"}: ${text}`)),
    describeOffer(offer),
    `Approval ${approval.id}, valid until ${new Date(approval.expiresAt).toISOString()}.`,
  ];
  return { method: "elicitation/create", params: { mode: "form", message: lines.join("\n"), requestedSchema: formFor(offer) } };
}

/** Characters of an input that a form can hold. */
const maxShown = 20_000;

/** All of it, or a word that it is not all. */
function showInput(input: unknown, approval: string): string {
  const text = visibleText(JSON.stringify(input ?? {}, null, 2));
  if (text.length <= maxShown) return text;
  return `${text.slice(0, maxShown)}\n⟨These are the first ${maxShown} of ${text.length} characters. See all with \`toolwright approvals show ${approval}\`, or deny.⟩`;
}

const answer = z.object({
  decision: z.enum(["approve", "deny"]),
  message: z.string().max(2000).optional(),
  remember: z.enum(["call", "session", "agent", "tenant"]).optional(),
});

/** No answer of a person: how the client sent the form back, as the end of "not answered by client X: it ...". */
export interface NoAnswer {
  readonly kind: "none";
  readonly how: string;
}

/**
 * What the person said in the form. Clients decline, cancel, fail and send empty answers without a person (R-AP-10), so nothing but the form's own
 * words counts, for a denial as for a yes.
 */
export function readApprovalAnswer(responses: Readonly<Record<string, unknown>> | undefined): ApprovalOutcome | NoAnswer {
  if (!responses || !Object.hasOwn(responses, approvalQuestion)) return noAnswer("sent no answer");
  const view = inputResponse(responses, approvalQuestion);
  if (view.kind !== "elicit") return noAnswer("sent no answer that can be read");
  if (view.action === "cancel") return noAnswer("cancelled the form");
  if (view.action === "decline") return noAnswer("declined the form");
  const parsed = answer.safeParse(view.content);
  if (!parsed.success) return noAnswer("sent the form back without a decision that it offers");
  const { decision, message, remember = "call" } = parsed.data;
  if (decision === "approve") return { kind: "approve", ...(remember !== "call" && { remember: { scope: remember } }) };
  return { kind: "deny", ...(message ? { message } : {}) };
}

export const noAnswer = (how: string): NoAnswer => ({ kind: "none", how });
