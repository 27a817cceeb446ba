export { expandBraces } from "@toolwright/commands/targets";
export { describeApproval } from "../gate/approvals/describe-approval.ts";
export { describeStanding, type StandingLine } from "../gate/approvals/describe-standing.ts";
export { describeOffer } from "../gate/grants/describe-offer.ts";
export { type ReplayedCall, type ReplayTool, readCall } from "../gate/replay-call.ts";
export { makeChild } from "../policy/ceiling/ceiling-child.ts";
export { type CommandRuleMember, type RuleTest, testRule } from "../policy/compile-commands.ts";
export { compilePolicy, type MachineFacts, type Policy, type RateRule, type Tier, type ToolFacts } from "../policy/compile-policy.ts";
export { diffPolicies, type PolicyDifference } from "../policy/diff-policies.ts";
export { formatPath } from "../policy/document/format-path.ts";
export { policyDocument, readRate } from "../policy/document/policy-document.ts";
export {
  checkPolicyFile,
  type PolicyFile,
  type PolicySection,
  policyFile,
  policyFileSchema,
  sectionsOf,
  tiersOfFile,
} from "../policy/document/policy-file.ts";
export { describeIssues, type PolicyProblem } from "../policy/document/policy-problem.ts";
export { tiersOfTenant } from "../policy/document/tenant-policy.ts";
export { explainDecision } from "../policy/explain-decision.ts";
export { type ExportedRule, exportPolicy, exportTargets, type PolicyExport } from "../policy/export/export-policy.ts";
export type { ExportFile } from "../policy/export/export-target.ts";
export { describeGrant, describePredicate, type GrantPreview, previewAllows } from "../policy/grants/grant-text.ts";
export { type LintFinding, lintPolicy } from "../policy/lint/lint-policy.ts";
export { tiersOf } from "../policy/policy-option.ts";
export { firstForeign, type PolicyFlip, type RecordedCall, type Simulation, simulatePolicy } from "../policy/simulate-policy.ts";
