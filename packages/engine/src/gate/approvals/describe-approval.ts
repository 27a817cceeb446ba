import { oneLine, visibleText } from "../../contract/visible-text.ts";
import type { ApprovalRecord } from "../../ports/approval-store.ts";
import { describeStanding } from "./describe-standing.ts";

/** All that a person needs to judge a call: the whole input, every rule that spoke, nothing hidden (R-AP-7). */
export function describeApproval(record: ApprovalRecord): string {
  const { tool, principal, input, decision, foreign } = record;
  const asked = decision.findings.filter((finding) => finding.effect !== "allow");
  return [
    oneLine(record.summary),
    `  tool     ${tool}`,
    `  caller   ${oneLine(`${principal.actor.kind} ${principal.actor.id}`)}${principal.agent ? `, agent ${oneLine(principal.agent)}` : ""}, by ${principal.door}`,
    ...asked.map((finding) => `  because  ${oneLine(finding.reason)} (${finding.rule}${finding.risk ? `, ${finding.risk} risk` : ""})`),
    ...(foreign ? [`  before   read content from ${oneLine(foreign.place ?? foreign.tool)} (${foreign.tool}, ${foreign.callId})`] : []),
    "  input",
    ...describeInput(input).map((line) => `    ${line}`),
    ...describeStanding(record).map(({ label, text }) => `  ${label.padEnd(8)} ${text}`),
    `  until    ${new Date(record.expiresAt).toISOString()}`,
  ].join("\n");
}

/** Texts stand as they are, line by line, so that a command reads like a command. */
function describeInput(input: ApprovalRecord["input"]): string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return visibleText(JSON.stringify(input, null, 2)).split("\n");
  const members = Object.entries(input).flatMap(([name, value]) => {
    const lines = visibleText(typeof value === "string" ? value : JSON.stringify(value, null, 2)).split("\n");
    return lines.length === 1 ? [`${oneLine(name)}: ${lines[0]}`] : [`${oneLine(name)}:`, ...lines.map((line) => `  | ${line}`)];
  });
  return members.length === 0 ? ["(nothing)"] : members;
}
