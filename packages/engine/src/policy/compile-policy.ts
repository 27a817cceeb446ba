import type { Decision, Finding, Reach } from "../contract/decision.ts";
import { strictest } from "../contract/decision.ts";
import { digest } from "../contract/digest.ts";
import type { Principal } from "../contract/principal.ts";
import type { Rate } from "../ports/limiter.ts";
import type { NetworkRules, PathRules, SandboxRules } from "../ports/policy-rules.ts";
import { capabilitiesOf, weighEffects } from "../tool/effects.ts";
import { type Autonomy, analyseLine, type CommandSettings, judgeCommands } from "./command/judge-commands.ts";
import { compileCommands } from "./compile-commands.ts";
import { mergeNetwork, mergeSandbox } from "./merge-rules.ts";
import { defaultPolicy, type PolicyDocument, readRate } from "./policy-document.ts";
import { findForbiddenPath, judgePath, judgeRequest, judgeSandbox, type MachineFacts } from "./resource-layer.ts";
import { compileTools, judgeToolEffects, judgeToolLists, type ToolFacts, type ToolSettings } from "./tool-layer.ts";

export type { MachineFacts } from "./resource-layer.ts";
export type { ToolFacts } from "./tool-layer.ts";

/** Platform cannot be overridden; each tier below can only narrow. */
export const tiers = ["platform", "tenant", "agent", "session"] as const;
export type Tier = (typeof tiers)[number];

export interface PolicyTier {
  readonly tier: Tier;
  readonly document: PolicyDocument;
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
  readonly paths: PathRules;
  readonly network: NetworkRules;
  readonly sandbox: SandboxRules;
  /** Tool names and `group:` handles that the documents name, with their places, for lint. */
  readonly handles: readonly { readonly handle: string; readonly rule: string }[];
  /** Rates that count against this tool; reading is free unless the tool or its group is named. Keys are without tenant. */
  ratesFor(tool: ToolFacts): readonly RateRule[];
  /** The tool layer alone, independent of input: for listing. */
  decideTool(tool: ToolFacts): Decision;
  /** All layers; the strictest finding speaks. */
  decide(tool: ToolFacts, reaches: readonly Reach[], facts: MachineFacts, principal: Principal): Decision;
  /** One reach, for capabilities at run time. */
  judge(tool: ToolFacts, reach: Reach, facts: MachineFacts): Decision;
}

interface CompiledPolicy {
  readonly revision: string;
  readonly autonomy: Autonomy;
  readonly autonomyRule: string;
  readonly tools: readonly ToolSettings[];
  readonly commands: readonly CommandSettings[];
  readonly forbidden: ReadonlyMap<string, string>;
  readonly network: NetworkRules;
  readonly sandbox: SandboxRules;
  readonly rates: readonly (RateRule & { readonly handle: string })[];
}

/**
 * Compiles the documents of all tiers. What the highest tier leaves out has the default; a lower tier speaks only of what it
 * names, and the strictest answer over the tiers holds. Throws `policy_invalid` when a rule fails its own tests.
 */
export function compilePolicy(documents: readonly PolicyTier[]): Policy {
  const compiled = compileTiers(documents);
  const known = new WeakMap<ToolFacts, Decision>();
  const decideTool = (tool: ToolFacts): Decision => {
    let decision = known.get(tool);
    if (!decision) {
      decision = strictest(judgeTool(tool, compiled), compiled.revision);
      known.set(tool, decision);
    }
    return decision;
  };
  return {
    revision: compiled.revision,
    paths: { forbidden: [...compiled.forbidden.keys()] },
    network: compiled.network,
    sandbox: compiled.sandbox,
    handles: compiled.tools
      .flatMap(({ allow, deny, ask }) => [...(allow ?? []), ...deny, ...ask])
      .map(([handle, rule]) => ({ handle, rule })),
    ratesFor: (tool) =>
      compiled.rates.filter(({ handle }) => countsAgainst(handle, tool)).map(({ key, rate, rule }) => ({ key, rate, rule })),
    decideTool,
    decide: (tool, reaches, facts, principal) => {
      const decision = decideReaches({ tool, reaches, facts }, decideTool(tool), compiled);
      return decision.effect === "ask" && principal.unattended ? denyUnattended(decision) : decision;
    },
    judge: (tool, reach, facts) => strictest([...judgeReach(reach, compiled), ...judgeMachine(tool, facts, compiled)], compiled.revision),
  };
}

function compileTiers(documents: readonly PolicyTier[]): CompiledPolicy {
  const ordered = documents.toSorted((a, b) => tiers.indexOf(a.tier) - tiers.indexOf(b.tier));
  const [top = { tier: "platform" as const, document: defaultPolicy }, ...lower] = ordered;
  const all = [{ ...top, document: { ...defaultPolicy, ...top.document } }, ...lower];
  const prefix = (tier: Tier) => (all.length > 1 ? `${tier}.` : "");
  const levels = all.map(({ document }) => document);
  const strictestTier = all.reduce((strict, next) => (rankOf(next.document) < rankOf(strict.document) ? next : strict));
  return {
    revision: digest(all.map(({ tier, document }) => ({ tier, document }))),
    autonomy: strictestTier.document.autonomy ?? "supervised",
    autonomyRule: `${prefix(strictestTier.tier)}autonomy`,
    tools: all.flatMap(({ tier, document }) => (document.tools ? [compileTools(document.tools, `${prefix(tier)}tools`)] : [])),
    commands: all.flatMap(({ tier, document }) =>
      document.commands ? [compileCommands(document.commands, `${prefix(tier)}commands`)] : [],
    ),
    forbidden: new Map(
      all.flatMap(({ tier, document }) =>
        (document.paths?.forbidden ?? []).map(
          (path, index) => [path.replace(/(?<=.)\/+$/, ""), `${prefix(tier)}paths.forbidden[${index}]`] as const,
        ),
      ),
    ),
    network: mergeNetwork(levels),
    sandbox: mergeSandbox(levels),
    rates: all.flatMap(({ tier, document }) =>
      Object.entries(document.rates ?? {}).map(([handle, text]) => ({
        handle,
        key: `${tier}:${handle}`,
        rate: readRate(text),
        rule: `${prefix(tier)}rates.${handle}`,
      })),
    ),
  };
}

const autonomies: readonly (Autonomy | undefined)[] = ["read_only", "supervised", "full", undefined];
const rankOf = (document: PolicyDocument) => autonomies.indexOf(document.autonomy);

function countsAgainst(handle: string, tool: ToolFacts): boolean {
  return handle === "act" ? weighEffects(tool.effects).changes : handle === tool.name || handle === `group:${tool.group}`;
}

function judgeTool(tool: ToolFacts, { tools, autonomy, autonomyRule }: CompiledPolicy): readonly Finding[] {
  return [...tools.flatMap((settings) => judgeToolLists(tool, settings)), ...judgeToolEffects(tool, autonomy, autonomyRule)];
}

interface Question {
  readonly tool: ToolFacts;
  readonly reaches: readonly Reach[];
  readonly facts: MachineFacts;
}

function decideReaches({ tool, reaches, facts }: Question, ofTool: Decision, compiled: CompiledPolicy): Decision {
  if (ofTool.effect === "deny") return ofTool;
  const findings = [
    ...judgeUndeclared(tool, reaches, compiled),
    ...reaches.flatMap((reach) => judgeReach(reach, compiled)),
    ...judgeMachine(tool, facts, compiled),
  ];
  return findings.length === 0 ? ofTool : strictest([...findings, ...ofTool.findings], compiled.revision);
}

/** A tool that can change things elsewhere and does not say what this call will do is asked about as a whole. */
function judgeUndeclared(tool: ToolFacts, reaches: readonly Reach[], { autonomy }: CompiledPolicy): readonly Finding[] {
  if (reaches.length > 0 || autonomy !== "supervised") return [];
  const { exec, ...others } = tool.effects;
  const { changes, openWorld } = weighEffects(exec === "run" ? tool.effects : others);
  const leaves = changes && openWorld && capabilitiesOf(tool.effects).length > 0;
  if (!leaves) return [];
  const reason = `The tool ${tool.name} can change something outside the workspace, and does not say beforehand what this call does.`;
  return [
    {
      effect: "ask",
      layer: "tool",
      rule: "default.supervised.undeclared",
      reason,
      risk: "medium",
      remedy: "Approve this call, or set autonomy to full.",
    },
  ];
}

function judgeReach(reach: Reach, compiled: CompiledPolicy): readonly Finding[] {
  const { autonomy } = compiled;
  switch (reach.kind) {
    case "path":
      return [judgePath(reach, compiled)];
    case "request":
      return [judgeRequest(reach, compiled.network, { autonomy, where: "network" })];
    case "command": {
      const analysis = analyseLine(reach.command);
      const forbidden = findForbiddenPath(analysis, compiled.forbidden);
      const findings = compiled.commands.flatMap((settings) => judgeCommands(analysis, settings, { ...reach, autonomy }));
      return forbidden ? [forbidden, ...findings] : findings;
    }
  }
}

function judgeMachine(tool: ToolFacts, facts: MachineFacts, { sandbox }: CompiledPolicy): readonly Finding[] {
  return tool.effects.exec === "run" ? judgeSandbox(sandbox, facts, "sandbox") : [];
}

function denyUnattended(decision: Decision): Decision {
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
