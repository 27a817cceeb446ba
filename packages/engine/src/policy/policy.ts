import type { Autonomy, CommandRule } from "@toolwright/commands";
import type { Decision, Finding, Reach } from "../contract/decision.ts";
import type { Principal } from "../contract/principal.ts";
import type { Rate } from "../ports/limiter.ts";
import type { NetworkRules, PathRules, SandboxRules } from "../ports/policy-rules.ts";
import type { ForeignRule } from "./after-foreign.ts";
import type { PolicyDocument } from "./document/policy-document.ts";
import type { MachineFacts } from "./resource-layer.ts";
import type { ToolFacts } from "./tool-layer.ts";

/** Platform cannot be overridden; each tier below can only narrow. */
export const tiers = ["platform", "tenant", "agent", "session"] as const;
export type Tier = (typeof tiers)[number];

/** A policy document with its tier, and the tenant or agent whose calls alone it narrows. */
export interface PolicyTier {
  readonly tier: Tier;
  readonly document: PolicyDocument;
  /** The tenant whose calls it narrows; without one it holds for every tenant. */
  readonly tenant?: string;
  /** The agent whose calls it narrows; without one it holds for every agent. */
  readonly agent?: string;
}

export interface RateRule {
  readonly key: string;
  readonly rate: Rate;
  readonly rule: string;
}

/** Compiled documents: pure, synchronous, to be replaced whole. */
export interface Policy {
  /** Hash of the canonical documents. */
  readonly revision: string;
  readonly autonomy: Autonomy;
  readonly paths: PathRules;
  readonly network: NetworkRules;
  readonly sandbox: SandboxRules;
  /** Agents that some document names, also those that no catalogue has. */
  readonly agents: readonly string[];
  /** The rules that allow commands, for those who ask which one is near. */
  readonly allowing: readonly CommandRule[];
  /** The policy, narrowed by the documents of the principal's tenant, and of the agents that the principal is or acts for. */
  forPrincipal(principal: Pick<Principal, "tenant" | "actor" | "agent">): Policy;
  /** Rates that count against this tool; reading is free unless the tool or its group is named. Keys are without tenant. */
  ratesFor(tool: ToolFacts): readonly RateRule[];
  /**
   * The rule by which a call asks once its session has read foreign content; undefined where none does. In a place that does not hold the network back
   * from commands, they have that of the host.
   */
  afterForeign(tool: ToolFacts, reaches: () => readonly Reach[], facts: MachineFacts): ForeignRule | undefined;
  /** What an approval of this tool's calls has to be, where a decision asks. */
  approvalsFor(tool: ToolFacts): readonly Finding[];
  /** The tool layer alone, independent of input: for listing. */
  decideTool(tool: ToolFacts): Decision;
  /** All layers; the strictest finding speaks. */
  decide(tool: ToolFacts, reaches: readonly Reach[], facts: MachineFacts, principal: Principal): Decision;
  /** One reach, for capabilities at run time. */
  judge(tool: ToolFacts, reach: Reach, facts: MachineFacts): Decision;
}
