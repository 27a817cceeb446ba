import { makeVisible } from "@toolwright/commands/targets";
import type { Containment, Decision, Finding } from "../contract/decision.ts";

const words = { allow: "Allowed", ask: "Needs approval", deny: "Denied" } as const;

/** The whole decision for people: the answer first, then every other finding, strictest to mildest as they were made. */
export function explainDecision(decision: Decision): string {
  const others = decision.findings.filter((finding) => !isSpokenFor(finding, decision));
  const lines = [...describeFinding(decision), ...others.flatMap((finding) => ["", ...describeFinding(finding)])];
  const relies = decision.reliesOn ? ["", `Relies on: ${describeContainment(decision.reliesOn)}.`] : [];
  return [...lines, ...relies, "", `Policy revision ${decision.revision.slice(0, 12)}.`].join("\n");
}

function describeFinding(finding: Finding): string[] {
  const lines = [`${words[finding.effect]}: ${finding.reason}`, `  rule: ${finding.rule} (${finding.layer} layer)`];
  if (finding.subject !== undefined) lines.push(`  about: ${makeVisible(finding.subject)}`);
  if (finding.risk !== undefined) lines.push(`  risk: ${finding.risk}`);
  if (finding.remedy !== undefined) lines.push(`  what would change it: ${finding.remedy}`);
  return lines;
}

const containments: Readonly<Record<Containment, string>> = {
  links: "links that lead out of the workspace are not followed",
  credentials: "credential files are hidden",
  network: "hosts without a rule are not reached",
  workspace: "programs stay in the workspace",
};

/** What the place that runs a call has to hold back, in words for people. */
export const describeContainment = (reliesOn: readonly Containment[]) => reliesOn.map((each) => containments[each]).join("; ");

function isSpokenFor(finding: Finding, decision: Decision): boolean {
  return finding.rule === decision.rule && finding.reason === decision.reason && finding.subject === decision.subject;
}
