import type { GrantPredicate, GrantTerms } from "../../ports/grant-store.ts";

/** A yes given on its own, for calls to come. */
export interface GrantRequest extends GrantTerms {
  readonly tool: string;
  readonly allows: readonly GrantPredicate[];
  /** The agent it is for; default: whoever gives it. Not for the scope `tenant`. */
  readonly agent?: string;
}

/** How far a yes may be remembered, in words for the person who is asked. */
export interface RememberChoice {
  readonly scope: GrantTerms["scope"];
  readonly title: string;
}

/** What a person may choose beside "this call only": nothing, and why, where a yes is never remembered. */
export type RememberOffer =
  | { readonly choices: readonly RememberChoice[]; readonly proposal: GrantProposal }
  | { readonly choices: readonly RememberChoice[]; readonly proposal?: never; readonly reason: string };

/** What remembering an approval would allow. */
export interface GrantProposal {
  readonly tool: string;
  readonly allows: readonly GrantPredicate[];
  /** Examples, each judged as a call would be. */
  readonly matches: readonly string[];
  readonly notMatches: readonly string[];
}
