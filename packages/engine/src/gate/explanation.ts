import type { Admission } from "../catalogue/admit.ts";
import type { Repair } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import type { PossibleChange } from "../contract/possible-change.ts";
import type { SchemaIssue } from "../schema/compiled-schema.ts";

/** A place in a policy file. */
export interface RulePosition {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
}

/** The whole answer to "may I, and why". */
export interface Explanation {
  readonly tool: string;
  readonly visible: boolean;
  readonly admission?: Admission | undefined;
  /** Absent when the tool is not visible, when the input could not be parsed, and when it depends on what was not seen. */
  readonly decision?: Decision | undefined;
  /** Why the input does not fit, in the words that a call gets; absent when it fits, or none was given. */
  readonly misfit?: string;
  /** Each of its parts that does not fit, in the words that a call gets. */
  readonly issues?: readonly SchemaIssue[];
  /** JSON pointers to sensitive members of a call that waits or was recorded: the explanation holds whatever they are, or there is no decision. */
  readonly unseen?: readonly string[];
  /** What parsing changed in the input before it was judged. */
  readonly repairs?: readonly Repair[];
  /** Why the call fails although the policy does not deny it: a secret that is not set, a path outside the workspace. */
  readonly obstacles?: readonly string[];
  /** Without an input: what of it decides whether a call runs. */
  readonly dependsOn?: readonly string[];
  /** What would let the call run unasked, one sentence each; absent for a call that does. */
  readonly changes?: readonly PossibleChange[];
  /** By the rule of a finding: where it stands, for those that a file says. Only for those who may be told why tools are hidden. */
  readonly places?: Readonly<Record<string, RulePosition>>;
  /** Several lines for people. */
  readonly text: string;
}
