/** What a judge says of a command line or of one command on it. */
export type Effect = "allow" | "ask" | "deny";
/** How much harm a command can do, for the person who is asked about it. */
export type Risk = "low" | "medium" | "high";

/**
 * What a place holds back from a call that runs there: files outside that links lead to, files of credentials, hosts that the network rules do not
 * open, and all that lies outside the workspace.
 */
export type Containment = "links" | "credentials" | "network" | "workspace";

/** How many people have to say yes, and who counts. */
export interface Quorum {
  /** Distinct approvers; at least 1. */
  readonly approvers: number;
  /** Permission that each of them has. */
  readonly permission?: string;
  /** The requester does not count. */
  readonly notRequester?: boolean;
}

/** One rule's word on one simple command of a line, or on the line when it cannot be read. */
export interface CommandFinding {
  readonly effect: Effect;
  readonly layer: "command";
  /** Where the rule stands: a path into the rules (`allow[0]`) or `default.<name>`. */
  readonly rule: string;
  /** One sentence: what was judged and why this is the answer. */
  readonly reason: string;
  /** The command it speaks of, as written. */
  readonly subject: string;
  readonly risk?: Risk;
  /** What would change the answer. */
  readonly remedy?: string;
  /** For `ask`: who has to say yes, where one person is not enough. */
  readonly quorum?: Quorum;
  /** For `allow`: what the place that runs the command has to hold back, as its words do not show it. */
  readonly reliesOn?: readonly Containment[];
}

const strictness: Record<Effect, number> = { allow: 0, ask: 1, deny: 2 };

/** Orders effects by strictness: positive when `a` is stricter than `b`. */
export function compareEffects(a: Effect, b: Effect): number {
  return strictness[a] - strictness[b];
}
