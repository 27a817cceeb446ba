import { type ElicitRequestFormParams, type InputRequest, inputResponse } from "@modelcontextprotocol/server";
import type { ApprovalOutcome, PendingResult } from "@toolwright/engine";
import { z } from "zod";
import { showText } from "./show-text.ts";

/** The key of the one question of an approval round. */
export const approvalQuestion = "approval";

const form: ElicitRequestFormParams["requestedSchema"] = {
  type: "object",
  properties: {
    decision: {
      type: "string",
      title: "Decision",
      oneOf: [
        { const: "deny", title: "Deny" },
        { const: "approve", title: "Approve, once" },
      ],
    },
    message: { type: "string", title: "Message", description: "Optional: what the model should know, when you deny." },
  },
  required: ["decision"],
};

/** The form that asks the person at the client. */
export function approvalRequest(pending: PendingResult, input: unknown): InputRequest {
  const { approval, decision, tool } = pending;
  const lines = [
    `Approve "${tool}"? ${showText(approval.summary)}`,
    `Reason: ${showText(decision.reason)} (rule ${showText(decision.rule)})`,
    ...(decision.risk ? [`Risk: ${decision.risk}`] : []),
    `Input: ${showText(JSON.stringify(input ?? {}, null, 2))}`,
    `Approval ${approval.id}, valid until ${new Date(approval.expiresAt).toISOString()}.`,
  ];
  return { method: "elicitation/create", params: { mode: "form", message: lines.join("\n"), requestedSchema: form } };
}

const answer = z.object({ decision: z.enum(["approve", "deny"]), message: z.string().max(2000).optional() });

/**
 * What the person said. `dismissed`: closed without a choice, so the approval stays open; `missing`: the client sent no
 * usable answer, so it is asked again.
 */
export function readApprovalAnswer(responses: Readonly<Record<string, unknown>> | undefined): ApprovalOutcome | "dismissed" | "missing" {
  const view = inputResponse(responses, approvalQuestion);
  if (view.kind !== "elicit") return "missing";
  if (view.action === "cancel") return "dismissed";
  if (view.action === "decline") return { kind: "deny" };
  const parsed = answer.safeParse(view.content);
  if (!parsed.success) return "missing";
  if (parsed.data.decision === "approve") return { kind: "approve" };
  return { kind: "deny", ...(parsed.data.message ? { message: parsed.data.message } : {}) };
}
