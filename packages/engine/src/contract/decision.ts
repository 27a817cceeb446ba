import { type Containment, compareEffects, type Effect, type Quorum, type Risk } from "@toolwright/commands";
import type { ForeignMark } from "./foreign.ts";

export { type Containment, compareEffects, type Effect, type Quorum, type Risk };

/** What a call is about to reach, said before it runs. The policy judges these; `run` cannot reach more. */
export type Reach =
  | CommandReach
  | PathReach
  /** `credential` names a stored secret that is sent along. */
  | { readonly kind: "request"; readonly url: string; readonly method: string; readonly credential?: string | undefined };

/** A command line for the shell. */
export interface CommandReach {
  readonly kind: "command";
  readonly command: string;
  /** Folder that it runs in. Default: the workspace itself. */
  readonly workdir?: string | null;
  /** Absolute paths that programs have for the workspace. The engine fills it in; what a tool gives counts for nothing. */
  readonly roots?: readonly string[];
  /** Before it runs, the `exec` capability looks at the configuration of the repositories that git may meet. The engine fills it in, like `roots`. */
  readonly watched?: boolean;
}

/** A path, and with `below` the names or the content of what lies in that folder at any depth: of all, or of the files that match. */
export interface PathReach {
  readonly kind: "path";
  readonly path: string;
  readonly access: "read" | "write" | "delete";
  readonly below?: "names" | "content";
  /** A glob of names of files; for `content`. */
  readonly matching?: string;
}

/** The part of the policy that a finding comes from: rules for tools, for command lines, or for paths and requests. */
export type Layer = "tool" | "command" | "resource";

/** One rule's word on one part of a call. */
export interface Finding {
  readonly effect: Effect;
  readonly layer: Layer;
  /** Where the rule stands: a path into the policy document (`tools.deny[0]`) or `default.<name>`. */
  readonly rule: string;
  /** One sentence: what was judged and why this is the answer. */
  readonly reason: string;
  /** The part of the call it speaks of, e.g. one simple command of a line. */
  readonly subject?: string;
  readonly risk?: Risk;
  /** What would change the answer. */
  readonly remedy?: string;
  /** For `ask`: who has to say yes, where one person is not enough. */
  readonly quorum?: Quorum;
  /** For `ask`: a person is asked each time, and no grant stands for them. */
  readonly grantable?: false;
  /** For `ask`: what the session had read first that nobody here wrote. */
  readonly foreign?: ForeignMark;
  /** For `ask`: no yes that was remembered before then stands for a person. Milliseconds since the epoch. */
  readonly grantsSince?: number;
  /**
   * For `allow`: what the place that runs the call has to hold back, as the words of the call do not show it. A decision has what all of its findings
   * rely on.
   */
  readonly reliesOn?: readonly Containment[];
}

/** The strictest finding speaks (deny > ask > allow); all of them are kept. */
export interface Decision extends Finding {
  /** Hash of the policy that decided. */
  readonly revision: string;
  readonly findings: readonly Finding[];
}

/** Joins findings to one decision; among equals the first speaks. Nothing to go by is a denial. */
export function strictest(findings: readonly Finding[], revision: string): Decision {
  let chosen: Finding | undefined;
  for (const finding of findings) {
    if (!chosen || compareEffects(finding.effect, chosen.effect) > 0) chosen = finding;
  }
  chosen ??= {
    effect: "deny",
    layer: "tool",
    rule: "default.unknown",
    reason: "No rule spoke of this call, and what is unknown is denied.",
  };
  const reliesOn = chosen.effect === "deny" ? [] : relianceOf(findings);
  return { ...chosen, ...(reliesOn.length > 0 && { reliesOn }), revision, findings };
}

function relianceOf(findings: readonly Finding[]): readonly Containment[] {
  if (findings.every(({ reliesOn }) => reliesOn === undefined)) return [];
  return [...new Set(findings.flatMap(({ reliesOn = [] }) => reliesOn))].sort();
}

/** Adds to a decision that asks what is demanded of the approval; the others stay as they are. */
export function demandApprovals(decision: Decision, demands: readonly Finding[]): Decision {
  if (decision.effect !== "ask") return decision;
  const said = new Set(decision.findings.map(({ rule }) => rule));
  const further = demands.filter(({ rule }) => !said.has(rule));
  return further.length === 0 ? decision : { ...decision, findings: [...decision.findings, ...further] };
}

/** The decision that asks, where nobody is there to be asked. */
export function denyUnattended(decision: Decision): Decision {
  const refusal: Finding = {
    effect: "deny",
    layer: decision.layer,
    rule: "default.unattended",
    reason: `${decision.reason} Nobody is there to be asked in this run, so it is denied.`,
    remedy: "Allow it in the policy, or give a grant when the run is set up.",
    ...(decision.subject !== undefined && { subject: decision.subject }),
  };
  return strictest([...decision.findings, refusal], decision.revision);
}
