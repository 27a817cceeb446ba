import { formatPath } from "../document/format-path.ts";
import type { PolicyTier } from "../policy.ts";
import type { ToolFacts } from "../tool-layer.ts";

/** One thing that does not do what it seems to say, or that could be said better. */
export interface LintFinding {
  readonly level: "warning" | "hint";
  /** Which of the documents, and where in it. */
  readonly document: number;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What a check looks at: one document among all, and the tools that there are. */
export interface LintSubject {
  readonly documents: readonly PolicyTier[];
  readonly index: number;
  readonly tools: readonly ToolFacts[];
  /** Ids of the agents that have a row; undefined where nobody knows. */
  readonly agents: ReadonlySet<string> | undefined;
}

export const documentOf = ({ documents, index }: LintSubject): PolicyTier => documents[index] as PolicyTier;

/** The documents that hold together with this one: those for everybody, and those for the same tenant and agent. */
export function companionsOf(subject: LintSubject): readonly PolicyTier[] {
  const { agent, tenant } = documentOf(subject);
  const isOfSame = (each: PolicyTier) => (each.agent ?? agent) === agent && (each.tenant ?? tenant) === tenant;
  return subject.documents.filter(isOfSame);
}

/** Where a member stands, told apart from the same member of another document. */
export function nameOf(tier: PolicyTier, path: readonly (string | number)[]): string {
  const place = formatPath(path);
  if (tier.agent !== undefined) return `${place} of the agent ${tier.agent}`;
  return tier.tier === "platform" ? place : `${place} of the ${tier.tier}`;
}
