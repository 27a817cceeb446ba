import type { ApprovalOutcome, ApprovalRecord, RememberOffer } from "@toolwright/engine";
import { describeOffer, describeStanding } from "@toolwright/engine/policy";
import { visibleText } from "@toolwright/engine/ports";
import { oneLine } from "@toolwright/server/text";
import type { Io } from "../io.ts";

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

/** Undefined when nobody answered. Anything but a yes is a no, and a plain yes is for this call only. */
export async function askPerson(io: Io, record: ApprovalRecord, offer: RememberOffer): Promise<ApprovalOutcome | undefined> {
  io.err(`\nThis call waits for you:\n\n${describeApproval(record)}\n\n${describeOffer(offer)}\n\n`);
  const others = offer.choices.map(({ scope, title }) => `  ${scope.padEnd(8)} run it, and remember the yes ${title}\n`);
  if (others.length > 0) io.err(`  y        run it, this call only\n${others.join("")}  anything else is a no\n\n`);
  const words = (await io.ask("Run it, once? [y/N] "))?.trim().toLowerCase();
  if (words === undefined) return undefined;
  const chosen = offer.choices.find(({ scope }) => scope === words);
  if (chosen) return { kind: "approve", remember: { scope: chosen.scope } };
  return words === "y" || words === "yes" ? { kind: "approve" } : { kind: "deny" };
}
