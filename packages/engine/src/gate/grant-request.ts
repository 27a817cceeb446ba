import type { GrantPredicate, GrantTerms } from "../ports/grant-store.ts";

/** A yes given on its own, for calls to come. */
export interface GrantRequest extends GrantTerms {
  readonly tool: string;
  readonly allows: readonly GrantPredicate[];
  /** The agent it is for; default: whoever gives it. Not for the scope `tenant`. */
  readonly agent?: string;
}

/** What remembering an approval would allow. */
export interface GrantProposal {
  readonly tool: string;
  readonly allows: readonly GrantPredicate[];
  /** Examples, each judged as a call would be. */
  readonly matches: readonly string[];
  readonly notMatches: readonly string[];
}
